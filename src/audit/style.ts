/** How the pieces of a text account look; the words are the same without. */

export type Look = "good" | "bad" | "warn" | "dim" | "strong";

/** Makes a piece of text look in a way. */
export type Paint = (look: Look, text: string) => string;

/** No colours. */
export const PLAIN: Paint = (_look, text) => text;
