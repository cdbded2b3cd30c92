/** The content security policy of a page that is complete in itself: it runs its own style and script, and nothing else. */

/** The value of the policy's meta element. Rejects where there is no WebCrypto. */
export async function contentPolicy(style: string, script?: string): Promise<string> {
  return [
    "default-src 'none'",
    `style-src '${await hashOf(style)}'`,
    ...(script === undefined ? [] : [`script-src '${await hashOf(script)}'`]),
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
