/** Compresses text to characters that an address may contain, and back. */

export async function packed(text: string): Promise<string> {
  const compressed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(compressed).arrayBuffer());
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * Throws if the input is not compressed text, or if the result exceeds `limit` bytes: a short input can expand to a
 * large text.
 */
export async function unpacked(letters: string, limit: number): Promise<string> {
  const binary = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for (let read = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    read += value.length;
    if (read > limit) {
      await reader.cancel();
      throw new RangeError(`more than ${limit} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
