/** What a bundle is: checked policies as data, with functions that were generated ahead of time. */

import type { By, PolicyTypes } from "../decisions/policy-types.js";
import type { Equipment } from "../engine/evaluate/equipment.js";
import type { TypeCheck } from "../engine/frame/layout.js";
import type { HELPERS } from "../engine/generate/helpers.js";
import type { Factory, LayerNeeds } from "../engine/generate/written.js";
import type { Texts } from "./packed.js";

/** The form of bundles. A release that writes another refuses those of this one. */
export const FORMAT = 10;

/**
 * One generated function: its type checks, and its code. The code reads nothing from around it, so that an engine need not
 * look at it before a question needs it.
 */
export type BundledFunction = readonly [
  checks: readonly TypeCheck[],
  factory: (helpers: typeof HELPERS, ...given: Parameters<Factory>) => unknown,
];

/** For a plan of one layer: its conditions (see `function-key.ts`), and its functions by their places in the list of all. */
export type BundledLayer = readonly [key: string, needs: LayerNeeds, judge: number, reader: number];

/** For the plans of both layers: their conditions, and the function that reads a resource for them. */
export type BundledReader = readonly [key: string, reader: number];

/** What a bundle has besides functions. */
export interface BundleData {
  readonly format: number;
  /** What `keyward build --set-version` was told; 0 otherwise. */
  readonly version: number;
  /** `policySetHash` of the files that it was built from. */
  readonly hash: string;
  /** By it damage is seen, not forgery. */
  readonly checksum: string;
  readonly texts: Texts;
}

/**
 * What the module that `keyward build` writes exports as `bundle`. Load it with `loadBundle`.
 *
 * `T`: what TypeScript knows of the policies; the declarations that are written beside the module say it.
 */
export interface Bundle<T extends PolicyTypes = PolicyTypes> extends By<T>, BundleData {
  /** What the policies need beyond what every bundle has; undefined: nothing. */
  readonly equipment: Equipment | undefined;
  /** Each once. Several plans may have the same. */
  readonly functions: readonly BundledFunction[];
  readonly layers: readonly BundledLayer[];
  readonly readers: readonly BundledReader[];
}

/** Why a bundle is refused. The policies in force stay what they were. */
export interface BundleFault {
  /**
   * - `not_a_bundle`: it is something else, or its beginning alone.
   * - `format`: it was built by a release that writes another form.
   * - `damaged`: it is not what was built.
   * - `layers`: it was built for other layers than it is loaded for.
   * - `older`: there is a newer one, by its version; or `minVersion` is no number.
   * - `unsigned`: there is no signature by a key; or the options do not say which key is to have signed it.
   * - `forged`: its signature is not by the key, or not of these bytes.
   * - `unreachable`: it cannot be read where it should be.
   */
  readonly kind: "not_a_bundle" | "format" | "damaged" | "layers" | "older" | "unsigned" | "forged" | "unreachable";
  readonly message: string;
}

const encoder = new TextEncoder();

/**
 * Two sums of 32 bits over all texts, in hexadecimal digits. They are computed whenever a bundle is loaded, most often by
 * code that has just been loaded itself and is slow yet, so they are made of four bytes at a time.
 */
export function checksumOf({ version, hash, texts }: Pick<BundleData, "version" | "hash" | "texts">): string {
  // Each text is one line of JSON. The line breaks at the end make up a last word.
  const { buffer, byteOffset, byteLength } = encoder.encode(
    [version, hash, texts.length, ...texts].join("\n").concat("\n\n\n"),
  );
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
