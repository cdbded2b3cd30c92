/** The look of a piece of text in terminal output; the words are the same without it. */

export type Look = "good" | "bad" | "warn" | "dim" | "strong";

/** Makes a piece of text look in a way. */
export type Paint = (look: Look, text: string) => string;

/** No colours. */
export const PLAIN: Paint = (_look, text) => text;
