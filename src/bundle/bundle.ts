/** The data of a bundle: checked policies, and functions that were generated ahead of time. */

import type { By, PolicyTypes } from "../decisions/policy-types.js";
import type { Equipment } from "../engine/evaluate/equipment.js";
import type { TypeCheck } from "../engine/frame/layout.js";
import type { HELPERS } from "../engine/generate/helpers.js";
import type { Factory, LayerNeeds } from "../engine/generate/written.js";
import type { Texts } from "./packed.js";

/** The version of the bundle format. A release refuses bundles of any other format. */
export const FORMAT = 16;

/**
 * One generated function: its type checks and its code. The code uses no variable from outside, so V8 can delay compiling
 * it until a question needs it.
 */
export type BundledFunction = readonly [
  checks: readonly TypeCheck[],
  factory: (helpers: typeof HELPERS, ...given: Parameters<Factory>) => unknown,
];

/**
 * The functions of a plan of one layer: the plan's key (see `function-key.ts`), and the indexes of its functions in
 * `functions`.
 */
export type BundledLayer = readonly [key: string, needs: LayerNeeds, judge: number, reader: number];

/** The resource reader shared by the plans of both layers: their key, and the reader's index in `functions`. */
export type BundledReader = readonly [key: string, reader: number];

/**
 * The proof that the functions decide as the policies do. `keyward verify` makes it anew from the policies; nothing
 * relies on the statement alone.
 */
export interface Certificate {
  /** The release that made it. */
  readonly by: string;
  /** SHA-256 of the texts. */
  readonly texts: string;
  /** SHA-256 of the text of each function, in the order of `functions`. */
  readonly functions: readonly string[];
  readonly proved: {
    /** How many functions judge conditions. The others read attributes, and nothing is proved of them. */
    readonly judges: number;
    /** How many combinations of outcomes (true, false, error) were enumerated. */
    readonly combinations: number;
    /** How many conditions, with more than nine operands, were compared with their code node by node. */
    readonly compared: number;
  };
  readonly unproved: readonly UnprovedCondition[];
}

/** A condition of a function that is not proved. */
export interface UnprovedCondition {
  /** The place of its rule or derived role: `file:line:column`. */
  readonly at: string;
  readonly why: string;
}

/** A bundle without its functions. */
export interface BundleData {
  readonly format: number;
  /** The number given to `keyward build --set-version`. Default: 0. */
  readonly version: number;
  /** `policySetHash` of the source files. */
  readonly hash: string;
  /** Detects damage, not forgery. */
  readonly checksum: string;
  readonly texts: Texts;
}

/**
 * The `bundle` export of the module that `keyward build` writes. Load it with `loadBundle`.
 *
 * `T` describes the policies to TypeScript. The declarations written beside the module supply it.
 */
export interface Bundle<T extends PolicyTypes = PolicyTypes> extends By<T>, BundleData {
  /** Equipment beyond the core that the policies need. Undefined if the core suffices. */
  readonly equipment: Equipment | undefined;
  /** Without duplicates: several plans may share a function. */
  readonly functions: readonly BundledFunction[];
  readonly layers: readonly BundledLayer[];
  readonly readers: readonly BundledReader[];
  readonly certificate: Certificate;
  /** The checksum of the functions as built. Detects changes of functions, not forgery. */
  readonly code: string;
}

/** Why a bundle is refused. The policies in force stay unchanged. */
export interface BundleFault {
  /**
   * - `not_a_bundle`: the data is not a bundle, or only the beginning of one.
   * - `format`: a release with another bundle format built it.
   * - `damaged`: the data differs from the bundle as built.
   * - `layers`: the bundle was built for other layers than the options name.
   * - `older`: its version is lower than the required or current one; or `minVersion` is not a number.
   * - `unsigned`: the signature of a required key is missing; or the options do not say which key must have signed.
   * - `forged`: the signature is by another key, or of other bytes.
   * - `unreachable`: the bundle cannot be read from its path or address.
   */
  readonly kind: "not_a_bundle" | "format" | "damaged" | "layers" | "older" | "unsigned" | "forged" | "unreachable";
  readonly message: string;
}

const encoder = new TextEncoder();

/** Detects damage of the data. Each text is one line of JSON. */
export function checksumOf({ version, hash, texts }: Pick<BundleData, "version" | "hash" | "texts">): string {
  return sumsOf([version, hash, texts.length, ...texts].join("\n"));
}

/** Detects changes of the functions, and of the tables in which plans find them. */
export function codeChecksumOf(
  functions: readonly (readonly [checks: readonly TypeCheck[], text: string])[],
  { layers, readers }: Pick<Bundle, "layers" | "readers">,
): string {
  return sumsOf(JSON.stringify([functions, layers, readers]));
}

/**
 * Two 32-bit checksums, in hexadecimal digits. They run at each load, usually before V8 has optimized this code, so they
 * take four bytes at a time.
 */
function sumsOf(text: string): string {
  // The line breaks at the end pad the last word, so that no byte is left out.
  const { buffer, byteOffset, byteLength } = encoder.encode(`${text}\n\n\n`);
  const view = new DataView(buffer, byteOffset, byteLength);
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let at = 0; at + 4 <= byteLength; at += 4) {
    const word = view.getInt32(at, true);
    a = Math.imul(a ^ word, 0x01000193);
    b = Math.imul(b + word, 0x85ebca6b) ^ (b >>> 15);
  }
  return [a, b].map((sum) => (sum >>> 0).toString(16).padStart(8, "0")).join("");
}
