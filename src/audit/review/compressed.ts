/** Text in a form that is small and has only letters, digits, `+`, `/` and `=`: gzip, in base64. */

export async function compressed(text: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("gzip"));
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK) parts.push(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  return btoa(parts.join(""));
}

/** Rejects text that {@link compressed} did not make. */
export async function decompressed(base64: string): Promise<string> {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, new DecompressionStream("gzip")));
}

/** As many arguments as a call can surely take. */
const CHUNK = 8_192;

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const result = new Response(new Blob([bytes]).stream().pipeThrough(stream));
  return new Uint8Array(await result.arrayBuffer());
}
