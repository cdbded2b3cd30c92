/** Keys, tokens and key sets that tests verify by. */

import { createPrivateKey, createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import {
  exportJWK,
  exportPKCS8,
  exportSPKI,
  generateKeyPair,
  importPKCS8,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from "jose";

async function pair(algorithm: string) {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return { publicKey, privateKey, jwk: await exportJWK(publicKey) };
}

const [ec, rsa, edwards, other] = [await pair("ES384"), await pair("RS256"), await pair("EdDSA"), await pair("RS256")];
/** Shorter than RFC 7518 allows. */
const short = generateKeyPairSync("rsa", { modulusLength: 1_024 });
const SECRET = Buffer.from("0123456789abcdef0123456789abcdef");
const symmetric: JWK = { kty: "oct", k: SECRET.toString("base64url"), kid: "h", alg: "HS256" };

const setOf = (...keys: readonly JWK[]) => JSON.stringify({ keys });

/** Key sets by the names of their files. */
export const KEY_FILES = {
  "full.jwk": setOf(
    { ...ec.jwk, kid: "e", alg: "ES384", use: "sig" },
    { ...rsa.jwk, kid: "r", alg: "RS256" },
    { ...edwards.jwk, kid: "d", alg: "EdDSA" },
    symmetric,
    { ...other.jwk, kid: "enc", alg: "RS256", use: "enc" },
  ),
  "short.jwk": setOf({ ...(await exportJWK(short.publicKey)), kid: "s", alg: "RS256" }),
  "single.jwk": JSON.stringify({ ...ec.jwk, kid: "e", alg: "ES384" }),
  "no-alg.jwk": setOf({ ...ec.jwk, kid: "e" }, { ...rsa.jwk, kid: "r" }),
  "no-kid.jwk": setOf({ ...other.jwk, alg: "RS256" }, { ...ec.jwk, alg: "ES384" }),
  "private.jwk": JSON.stringify({ ...(await exportJWK(ec.privateKey)), kid: "e", alg: "ES384" }),
  "public.pem": await exportSPKI(ec.publicKey),
};

const CLAIMS = { sub: "alice", level: "admin" };
const E = { alg: "ES384", kid: "e" };

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const signed = (claims: JWTPayload, header: JWTHeaderParameters, key: Parameters<SignJWT["sign"]>[0]) =>
  new SignJWT(claims).setProtectedHeader(header).sign(key);
const rsaKeyFor = async (algorithm: string) => importPKCS8(await exportPKCS8(rsa.privateKey), algorithm);

const rsaKey = createPrivateKey(await exportPKCS8(rsa.privateKey));

/** A token with any header, signed with RS256. */
function signedAs(header: object, key: KeyObject): string {
  const text = `${encoded(header)}.${encoded(CLAIMS)}`;
  return `${text}.${createSign("SHA256").update(text).sign(key).toString("base64url")}`;
}

const NOW = Math.floor(Date.now() / 1_000);
const ecToken = await signed(CLAIMS, E, ec.privateKey);

/** The tokens of {@link CLAIMS}, or with times, by their names. */
export const TOKENS = {
  ec: ecToken,
  ecWithoutId: await signed(CLAIMS, { alg: "ES384" }, ec.privateKey),
  ecUnknownId: await signed(CLAIMS, { ...E, kid: "unknown" }, ec.privateKey),
  ecIdOfRsa: await signed(CLAIMS, { ...E, kid: "r" }, ec.privateKey),
  rsa: await signed(CLAIMS, { alg: "RS256", kid: "r" }, rsa.privateKey),
  rsa512: await signed(CLAIMS, { alg: "RS512", kid: "r" }, await rsaKeyFor("RS512")),
  pss: await signed(CLAIMS, { alg: "PS256", kid: "r" }, await rsaKeyFor("PS256")),
  edwards: await signed(CLAIMS, { alg: "EdDSA", kid: "d" }, edwards.privateKey),
  symmetric: await signed(CLAIMS, { alg: "HS256", kid: "h" }, SECRET),
  encryptionKey: await signed(CLAIMS, { alg: "RS256", kid: "enc" }, other.privateKey),
  otherWithoutId: await signed(CLAIMS, { alg: "RS256" }, other.privateKey),
  unsigned: `${encoded({ alg: "none" })}.${encoded(CLAIMS)}.`,
  unsignedWithId: `${encoded({ alg: "none", kid: "e" })}.${encoded(CLAIMS)}.`,
  publicKeyAsSecret: await signed(CLAIMS, { alg: "HS256", kid: "r" }, Buffer.from(await exportSPKI(rsa.publicKey))),
  forged: ecToken.replace(/\.[^.]*\./, `.${encoded({ ...CLAIMS, sub: "eve" })}.`),
  cut: ecToken.slice(0, -4),
  noToken: "x",
  expired: await signed({ ...CLAIMS, exp: NOW - 30 }, E, ec.privateKey),
  longExpired: await signed({ ...CLAIMS, exp: NOW - 4_000 }, E, ec.privateKey),
  notYet: await signed({ ...CLAIMS, nbf: NOW + 4_000 }, E, ec.privateKey),
  fromTheFuture: await signed({ ...CLAIMS, iat: NOW + 4_000 }, E, ec.privateKey),
  soonExpired: await signed({ ...CLAIMS, exp: NOW + 4_000, nbf: NOW - 10, iat: NOW - 10 }, E, ec.privateKey),
  /** The header names another algorithm than that of the signature. */
  lying: signedAs({ alg: "RS512", kid: "r" }, rsaKey),
  /** The header has an extension that nobody knows. */
  critical: signedAs({ alg: "RS256", kid: "r", crit: ["x"], x: 1 }, rsaKey),
  shortKey: signedAs({ alg: "RS256", kid: "s" }, short.privateKey),
};

export type TokenName = keyof typeof TOKENS;

/** The server accepts these, against RFC 7515. */
export const REFUSED_HERE: readonly TokenName[] = ["lying", "critical"];

const file = (name: keyof typeof KEY_FILES, more: object = {}) => ({ id: "k", local: { file: name, ...more } });
const optional = (...names: readonly ("Alg" | "Kid")[]) => ({
  insecure: Object.fromEntries(names.map((name) => [`optional${name}`, true])),
});

const NAMED: readonly TokenName[] = ["ec", "soonExpired"];
const WITH_IDS: readonly TokenName[] = [...NAMED, "rsa", "edwards", "symmetric"];
const EC_WITHOUT_ID: readonly TokenName[] = [...NAMED, "ecWithoutId", "ecUnknownId", "ecIdOfRsa"];

/** Configurations of key sets (`auxData.jwt`), with the tokens that are accepted. */
export const KEY_SET_CASES: readonly (readonly [name: string, jwt: object, accepted: readonly TokenName[]])[] = [
  ["keys with ids and algorithms", { keySets: [file("full.jwk")] }, WITH_IDS],
  ["a tolerance", { acceptableTimeSkew: "1m", keySets: [file("full.jwk")] }, [...WITH_IDS, "expired"]],
  ["a single key", { keySets: [file("single.jwk")] }, NAMED],
  ["a key that is too short", { keySets: [file("short.jwk")] }, []],
  ["a key set as a text", { keySets: [{ id: "k", local: { data: base64(KEY_FILES["full.jwk"]) } }] }, WITH_IDS],
  ["keys without algorithms", { keySets: [file("no-alg.jwk")] }, []],
  [
    "optional algorithms",
    { keySets: [{ ...file("no-alg.jwk"), ...optional("Alg") }] },
    [...NAMED, "rsa", "rsa512", "pss"],
  ],
  ["keys without ids", { keySets: [file("no-kid.jwk")] }, []],
  [
    "optional ids",
    { keySets: [{ ...file("no-kid.jwk"), ...optional("Kid") }] },
    [...EC_WITHOUT_ID, "encryptionKey", "otherWithoutId"],
  ],
  [
    "optional ids of keys that have them",
    { keySets: [{ ...file("full.jwk"), ...optional("Kid") }] },
    [...EC_WITHOUT_ID, "rsa", "edwards", "symmetric"],
  ],
  ["PEM has neither ids nor algorithms", { keySets: [file("public.pem", { pem: true })] }, []],
  ["PEM", { keySets: [{ ...file("public.pem", { pem: true }), ...optional("Alg", "Kid") }] }, EC_WITHOUT_ID],
  ["two key sets, and no choice", { keySets: [file("full.jwk"), { ...file("single.jwk"), id: "l" }] }, []],
];

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
