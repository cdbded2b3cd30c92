/** The look of a piece of text in terminal output; the words are the same without it. */

export type TextStyle = "good" | "bad" | "warn" | "dim" | "strong";

/** Makes a piece of text look in a way. */
export type PaintText = (look: TextStyle, text: string) => string;

/** No colours. */
export const PLAIN_TEXT: PaintText = (_look, text) => text;
