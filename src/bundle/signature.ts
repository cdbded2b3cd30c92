/** Signatures of bundles: Ed25519, in a file of its own, in base64. */

import type { BundleFault } from "./bundle.js";

/** Why a signature does not vouch for these bytes. */
export async function signatureFault(
  bytes: Uint8Array,
  signature: string | undefined,
  publicKey: string,
): Promise<BundleFault | undefined> {
  if (signature === undefined || signature.trim() === "") {
    return { kind: "unsigned", message: "it has no signature, and a key is configured" };
  }
  const [key, signed] = [await keyOf(publicKey), decoded(signature)];
  if (key === undefined) return { kind: "forged", message: "the public key is no Ed25519 key as PEM" };
  const isGenuine =
    signed !== undefined && (await crypto.subtle.verify("Ed25519", key, signed, Uint8Array.from(bytes)));
  return isGenuine ? undefined : { kind: "forged", message: "its signature is not by the key, or not of this text" };
}

/** Whether a text is a key that can have signed a bundle. */
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
