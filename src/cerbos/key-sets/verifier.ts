/** Verifies tokens with key sets, as the Cerbos server does. Loads `jose`. */

import { compactVerify, decodeProtectedHeader, type JWK } from "jose";
import type { JsonMap, Timestamp } from "../../cel/values.js";
import { tokenClaims } from "../claims.js";
import type { Token } from "../named-tokens.js";
import { type KeySource, keySourceOf, type VerificationKeys } from "./keys.js";
import { expectKeySetOptions, expectSources, type KeySet, type KeySetOptions, secondsOf } from "./options.js";

interface LoadedKeySet {
  readonly source: KeySource;
  readonly insecure: NonNullable<KeySet["insecure"]>;
}

export class TokenVerifier {
  private readonly keySets: ReadonlyMap<string, LoadedKeySet>;
  private readonly skewSeconds: number;

  private constructor(keySets: ReadonlyMap<string, LoadedKeySet>, skewSeconds: number) {
    this.keySets = keySets;
    this.skewSeconds = skewSeconds;
  }

  /** Rejects with a `TypeError` that names the fault of the options, or of a local key set. */
  static async create(options: KeySetOptions): Promise<TokenVerifier> {
    expectKeySetOptions(options);
    expectSources(options);
    const { keySets, acceptableTimeSkew } = options;
    const loaded = new Map<string, LoadedKeySet>();
    for (const keySet of keySets) {
      loaded.set(keySet.id, { source: await keySourceOf(keySet), insecure: keySet.insecure ?? {} });
    }
    return new TokenVerifier(
      loaded,
      acceptableTimeSkew === undefined ? 0 : secondsOf("acceptableTimeSkew", acceptableTimeSkew),
    );
  }

  /** The claims of a verified token. Rejects with the fault of the token. */
  async claims({ token, keySetId }: Token, now: Timestamp): Promise<JsonMap> {
    const { source, insecure } = this.keySetOf(keySetId);
    const { alg: algorithm, kid, b64 } = decodeProtectedHeader(token);
    if (algorithm === undefined || b64 !== undefined) throw new Error("the header of the token is not that of a JWT");
    const isFitting = (key: JWK) =>
      (insecure.optionalKid === true || (kid !== undefined && kid !== "" && key.kid === kid)) &&
      (key.alg === undefined ? insecure.optionalAlg === true : key.alg === algorithm) &&
      (key.use ?? "sig") === "sig";
    const isVerified =
      (await verifies(await source.current(), isFitting, token, algorithm)) ||
      (await verifies(await source.newer(), isFitting, token, algorithm));
    if (!isVerified) throw new Error("no key of the set verifies the token");
    return tokenClaims(token, now, this.skewSeconds);
  }

  private keySetOf(id: string): LoadedKeySet {
    const [only, ...others] = this.keySets.values();
    const found = id === "" && others.length === 0 ? only : this.keySets.get(id);
    if (found === undefined) throw new Error("the token names no key set that there is");
    return found;
  }
}

async function verifies(
  keys: VerificationKeys | undefined,
  isFitting: (key: JWK) => boolean,
  token: string,
  algorithm: string,
): Promise<boolean> {
  for (const key of keys?.keys.filter(isFitting) ?? []) {
    try {
      await compactVerify(token, (await keys?.keyFor(key, algorithm)) ?? new Uint8Array(), { algorithms: [algorithm] });
      return true;
    } catch {
      // Another key may verify it.
    }
  }
  return false;
}
