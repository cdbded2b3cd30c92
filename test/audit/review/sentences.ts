/** The sentences of an HTML page, for tests of its words. A name in code counts as one word. */

/** Elements that do not break a sentence. */
const INLINE = /<\/?(?:a|b|code|em|span|strong|time)(?:\s[^>]*)?>/g;

export function sentencesOf(page: string): readonly string[] {
  const body = page
    .slice(page.indexOf("<body"))
    .replace(/<(script|style|pre|nav)\b.*?<\/\1>/gs, "\n")
    .replace(/<details class="written">.*?<\/details>/gs, "\n")
    .replace(/<code>(.*?)<\/code>/gs, (_, code: string) => code.replace(/\s+/g, "_").replace(/[.:?!](?=_|$)/g, ""))
    .replace(INLINE, "")
    .replace(/<[^>]*>/g, "\n");
  return body
    .split(/\n|[.:?!](?=\s)/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

/** Words have a letter or a digit. */
export function wordCount(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
