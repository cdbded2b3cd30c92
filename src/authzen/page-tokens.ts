/**
 * Tokens of pages: where the next page of a search starts, signed together with the search. A token that this decision
 * point did not make, or made for another search or other data, is refused.
 */

const ENCODER = new TextEncoder();

export class PageTokens {
  private readonly key: ReturnType<typeof crypto.subtle.importKey>;

  /** `secret`: at least 32 bytes. Default: random, so that other processes refuse the tokens. */
  constructor(secret: Uint8Array = crypto.getRandomValues(new Uint8Array(32))) {
    if (secret.length < 32) throw new TypeError("tokenSecret must have at least 32 bytes");
    this.key = crypto.subtle.importKey("raw", Uint8Array.from(secret), { name: "HMAC", hash: "SHA-256" }, false, [
      "sign",
    ]);
    // The first search reports a failure.
    this.key.catch(() => {});
  }

  /** `search`: a text for everything that must not change from page to page. */
  async tokenAt(start: number, search: string): Promise<string> {
    const mac = await crypto.subtle.sign("HMAC", await this.key, ENCODER.encode(`${start} ${search}`));
    const digits = Array.from(new Uint8Array(mac), (byte) => byte.toString(16).padStart(2, "0")).join("");
    return `${start}-${digits}`;
  }

  /** The start of the page; undefined if the token is not of this search. */
  async startIn(token: string, search: string): Promise<number | undefined> {
    const [, digits] = /^(0|[1-9]\d{0,8})-[0-9a-f]{64}$/.exec(token) ?? [];
    if (digits === undefined) return undefined;
    const start = Number(digits);
    return isSame(token, await this.tokenAt(start, search)) ? start : undefined;
  }
}

/** Compares texts of one length in a time that does not depend on where they differ. */
function isSame(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
