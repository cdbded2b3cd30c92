/** SHA-256, as hexadecimal digits. */

const encoder = new TextEncoder();

/** Rejects without WebCrypto: browsers lack it on pages not served over https. */
export async function sha256(data: string | Uint8Array): Promise<string> {
  const bytes = typeof data === "string" ? encoder.encode(data) : Uint8Array.from(data);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
