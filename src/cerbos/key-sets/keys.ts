/** The keys of key sets, from files, texts and addresses. */

import { type CryptoKey, createRemoteJWKSet, importJWK, type JWK } from "jose";
import { type KeySet, secondsOf } from "./options.js";

/** Public keys, each imported once for an algorithm. */
export class VerificationKeys {
  readonly keys: readonly JWK[];
  private readonly imported = new Map<JWK, Map<string, CryptoKey | Uint8Array>>();

  constructor(keys: readonly JWK[]) {
    this.keys = keys.map(({ d, p, q, dp, dq, qi, ...publicKey }) => publicKey);
  }

  /** Rejects if the key cannot verify signatures of the algorithm. */
  async keyFor(key: JWK, algorithm: string): Promise<CryptoKey | Uint8Array> {
    const known = this.imported.get(key) ?? new Map<string, CryptoKey | Uint8Array>();
    this.imported.set(key, known);
    const found = known.get(algorithm) ?? (await importJWK(key, algorithm));
    known.set(algorithm, found);
    return found;
  }
}

export interface KeySource {
  /** The keys in force. Rejects if there are none. */
  current(): Promise<VerificationKeys>;
  /** Newer keys, for a token that the keys in force do not verify; undefined if there are none. */
  newer(): Promise<VerificationKeys | undefined>;
}

/** Rejects with a `TypeError` if local keys cannot be read, or an address is unsafe. */
export async function keySourceOf({ id, local, remote }: KeySet): Promise<KeySource> {
  try {
    return remote === undefined ? await localKeys(local ?? {}) : new RemoteKeys(remote);
  } catch (error) {
    throw new TypeError(`the key set ${id}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function localKeys({ file, data = "", pem = false }: NonNullable<KeySet["local"]>): Promise<KeySource> {
  const bytes =
    file === undefined
      ? Uint8Array.from(atob(data), (char) => char.charCodeAt(0))
      : await ofNode("node:fs/promises", "files").readFile(file);
  const text = new TextDecoder().decode(bytes);
  const keys = new VerificationKeys(pem ? keysOfPem(text) : keysOfJson(JSON.parse(text)));
  return { current: async () => keys, newer: async () => undefined };
}

/** A module of Node. It is not imported, so that programs for browsers and edge workers can be bundled with this file. */
function ofNode<N extends "node:crypto" | "node:fs/promises">(name: N, what: string) {
  const found = globalThis.process?.getBuiltinModule?.(name);
  if (found === undefined) throw new Error(`${what} need Node`);
  return found;
}

const PEM = /-----BEGIN ([A-Z ]+)-----[\s\S]+?-----END \1-----/g;

function keysOfPem(text: string): readonly JWK[] {
  const blocks = text.match(PEM) ?? [];
  if (blocks.length === 0) throw new Error("there is no key in PEM form");
  const { createPublicKey } = ofNode("node:crypto", "keys in PEM form");
  return blocks.map((block): JWK => createPublicKey(block).export({ format: "jwk" }));
}

/** The keys of a JSON Web Key Set, or a single key. */
function keysOfJson(value: unknown): readonly JWK[] {
  const keys: readonly unknown[] = isFields(value) && Array.isArray(value.keys) ? value.keys : [value];
  if (keys.length === 0 || !keys.every(isKey)) throw new Error("this is neither a JSON Web Key nor a set of them");
  return keys;
}

function isFields(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null;
}

function isKey(value: unknown): value is JWK {
  if (!isFields(value) || typeof value.kty !== "string") return false;
  return [value.kid, value.alg, value.use].every((field) => field === undefined || typeof field === "string");
}

const DEFAULT_REFRESH_SECONDS = 600;
/** The pause after a request for keys: tokens with invented key ids must not cause many. */
const PAUSE_MS = 5_000;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** The keys at an address. The latest keys stay in force while it does not answer. */
class RemoteKeys implements KeySource {
  private readonly remote: ReturnType<typeof createRemoteJWKSet>;
  private keys: VerificationKeys | undefined;
  private loading: Promise<void> | undefined;
  private askedAt = Number.NEGATIVE_INFINITY;

  constructor({ url, refreshInterval }: NonNullable<KeySet["remote"]>) {
    const address = URL.canParse(url) ? new URL(url) : undefined;
    const isSafe = address?.protocol === "https:" || (address?.protocol === "http:" && LOOPBACK.test(address.hostname));
    if (address === undefined || !isSafe) {
      throw new Error("remote.url must be an https address, or http on a loopback address");
    }
    const seconds =
      refreshInterval === undefined ? DEFAULT_REFRESH_SECONDS : secondsOf("remote.refreshInterval", refreshInterval);
    this.remote = createRemoteJWKSet(address, { cacheMaxAge: seconds * 1_000 });
    if (typeof this.remote.jwks !== "function") throw new Error("remote keys need version 6 of jose, or a later one");
  }

  async current(): Promise<VerificationKeys> {
    if (!this.remote.fresh) await this.load();
    if (this.keys === undefined) throw new Error("the keys cannot be had");
    return this.keys;
  }

  async newer(): Promise<VerificationKeys | undefined> {
    const before = this.keys;
    await this.load();
    return this.keys === before ? undefined : this.keys;
  }

  private async load(): Promise<void> {
    if (this.loading === undefined && performance.now() - this.askedAt >= PAUSE_MS) {
      this.askedAt = performance.now();
      this.loading = this.reload().finally(() => {
        this.loading = undefined;
      });
    }
    await this.loading;
  }

  private async reload(): Promise<void> {
    try {
      await this.remote.reload();
      this.keys = new VerificationKeys(keysOfJson(this.remote.jwks()));
    } catch {
      // The keys before stay; without any, tokens are refused.
    }
  }
}
