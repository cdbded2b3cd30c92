/** Signatures of bundles: Ed25519, base64, in a file beside the bundle. */

import { ANY, type OptionTable } from "../policy/options.js";
import type { BundleFault } from "./bundle.js";

/** Who must have signed a bundle. No signature is required if neither option is given, or if `unsigned` is. */
export interface Signer {
  /**
   * An Ed25519 public key, as PEM (`-----BEGIN PUBLIC KEY-----`). With a key, an unsigned bundle is refused. If the
   * option is present but `undefined`, as an unset environment variable is, every bundle is refused.
   */
  readonly publicKey?: string;
  /** Requires no signature. Cannot be combined with `publicKey`. */
  readonly unsigned?: true;
}

export const SIGNER_OPTIONS = { publicKey: ANY, unsigned: ANY } satisfies OptionTable<Signer>;

/**
 * Why the options do not say who must have signed; undefined if they do. A missing key would otherwise accept every
 * bundle.
 */
export function signerFault(options: {
  readonly publicKey?: unknown;
  readonly signature?: unknown;
  readonly unsigned?: unknown;
}): BundleFault | undefined {
  const { publicKey, signature, unsigned } = options;
  const isUnsigned = unsigned === true;
  if (typeof publicKey === "string") {
    return isUnsigned
      ? { kind: "unsigned", message: "publicKey and unsigned are both given: leave one out" }
      : undefined;
  }
  if ("publicKey" in options) {
    const message = `publicKey is ${typeof publicKey} and no text: give a key, or unsigned: true in place of it`;
    return { kind: "unsigned", message };
  }
  if (isUnsigned || (signature === undefined && unsigned === undefined)) return undefined;
  return {
    kind: "unsigned",
    message: "publicKey is missing: give a key, or unsigned: true for a bundle without a signature",
  };
}

/** Why a signature is not valid for these bytes; undefined if it is. */
export async function signatureFault(
  bytes: Uint8Array,
  signature: string | undefined,
  publicKey: string,
): Promise<BundleFault | undefined> {
  if (signature === undefined || signature.trim() === "") {
    return { kind: "unsigned", message: "it has no signature, and a key is configured" };
  }
  const [key, signed] = [await keyOf(publicKey), decoded(signature)];
  if (key === undefined) return { kind: "forged", message: "the public key is not an Ed25519 key in PEM form" };
  const isGenuine =
    signed !== undefined && (await crypto.subtle.verify("Ed25519", key, signed, Uint8Array.from(bytes)));
  return isGenuine ? undefined : { kind: "forged", message: "its signature is not by the key, or not of this text" };
}

/** Whether `pem` is an Ed25519 public key. */
export async function isPublicKey(pem: string): Promise<boolean> {
  return (await keyOf(pem)) !== undefined;
}

async function keyOf(pem: string) {
  const [, body = ""] = /^\s*-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----\s*$/.exec(pem) ?? [];
  const bytes = decoded(body);
  try {
    return bytes && (await crypto.subtle.importKey("spki", bytes, "Ed25519", false, ["verify"]));
  } catch {
    return undefined;
  }
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64.replace(/\s/g, "")), (unit) => unit.charCodeAt(0));
  } catch {
    return undefined;
  }
}
