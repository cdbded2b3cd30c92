/**
 * Loads bundles as text, from a file or elsewhere. Code in them never runs: only the data is read. Functions are
 * generated here, where the platform allows that.
 */

import type { Either } from "fp-ts/lib/Either.js";
import { givenGlobals } from "../decisions/configuration.js";
import type { PermissionSet, PolicySet } from "../decisions/policy-set.js";
import type { PolicyTypes } from "../decisions/policy-types.js";
import { FULL_EQUIPMENT } from "../engine/evaluate/full-equipment.js";
import { checkOptions, type OptionTable, TEXT } from "../policy/options.js";
import type { BundleData, BundleFault } from "./bundle.js";
import { sha256 } from "./digest.js";
import {
  BUNDLE_OPTIONS,
  type BundleOptions,
  DAMAGED,
  faultOf,
  layersFault,
  type PermissionBundle,
  setOf,
} from "./load.js";
import { SIGNER_OPTIONS, type Signer, signatureFault, signerFault } from "./signature.js";

/** Who must have signed a bundle, and the signature. */
export interface SignedBy extends Signer {
  /** The contents of the file that `keyward build --sign` wrote beside the bundle. */
  readonly signature?: string | undefined;
}

const TEXT_OPTIONS = {
  ...BUNDLE_OPTIONS,
  ...SIGNER_OPTIONS,
  signature: TEXT,
} satisfies OptionTable<BundleOptions & SignedBy>;

/**
 * Loads the policies of a bundle's text. The bundle is accepted if it is complete, unchanged, and signed if a key is
 * given. Left: why it is refused. Where WebCrypto exists, rejects only with a `TypeError`: for an unknown option or an
 * invalid value.
 */
export async function loadBundleText<T extends PolicyTypes = PolicyTypes>(
  source: string | Uint8Array,
  options: PermissionBundle & SignedBy,
): Promise<Either<BundleFault, PermissionSet<T>>>;
export async function loadBundleText<T extends PolicyTypes = PolicyTypes>(
  source: string | Uint8Array,
  options?: BundleOptions & SignedBy,
): Promise<Either<BundleFault, PolicySet<T>>>;
export async function loadBundleText(
  source: string | Uint8Array,
  options: BundleOptions & SignedBy = {},
): Promise<Either<BundleFault, PolicySet>> {
  checkOptions(options, TEXT_OPTIONS);
  const read = await readBundleText(source, options);
  if (read._tag === "Left") return read;
  const fault = layersFault(read.right, options);
  if (fault !== undefined) return { _tag: "Left", left: fault };
  const globals = givenGlobals(options.globals);
  try {
    return { _tag: "Right", right: setOf(read.right, FULL_EQUIPMENT, globals) };
  } catch {
    return { _tag: "Left", left: DAMAGED };
  }
}

/** The data of a bundle's text. Its layers are not checked. */
export async function readBundleText(
  source: string | Uint8Array,
  options: Pick<BundleOptions, "minVersion"> & SignedBy = {},
): Promise<Either<BundleFault, BundleData>> {
  const { publicKey, signature } = options;
  const unclear = signerFault(options);
  if (unclear !== undefined) return { _tag: "Left", left: unclear };
  const bytes = typeof source === "string" ? encoder.encode(source) : source;
  if (publicKey !== undefined) {
    const fault = await signatureFault(bytes, signature, publicKey);
    if (fault !== undefined) return { _tag: "Left", left: fault };
  }
  const data = await dataOf(typeof source === "string" ? source : decoder.decode(bytes));
  if ("kind" in data) return { _tag: "Left", left: data };
  const fault = faultOf(data, options);
  return fault === undefined ? { _tag: "Right", right: data } : { _tag: "Left", left: fault };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const FIRST_LINE = /^\/\/ Written by keyward build, sha256:([0-9a-f]{64})\.[^\n]*\n/;
const FORM = /^(?:import [^\n]*\n)?export const bundle = \{\nformat: (\d+),\n/;
const HEAD = /^version: (\d+),\nhash: "([^"\n]*)",\nchecksum: "([^"\n]*)",\ntexts: \[\n/;
const END = "\n],\n";

async function dataOf(text: string): Promise<BundleData | BundleFault> {
  const [first, digest] = FIRST_LINE.exec(text) ?? [];
  if (first === undefined) {
    return { kind: "not_a_bundle", message: "this is not what `keyward build` writes" };
  }
  const body = text.slice(first.length);
  if ((await sha256(body)) !== digest) return DAMAGED;
  const [form = "", format] = FORM.exec(body) ?? [];
  const [head, version, hash, checksum] = HEAD.exec(body.slice(form.length)) ?? [];
  const begin = form.length + (head?.length ?? 0);
  const end = body.indexOf(END, begin - 1);
  // In another format, only the format number can be read.
  const texts = head === undefined || end < 0 ? [] : body.slice(begin, end).split("\n").map(textIn);
  if (format === undefined || texts.some((one) => one === undefined)) return DAMAGED;
  return {
    format: Number(format),
    version: Number(version),
    hash: hash ?? "",
    checksum: checksum ?? "",
    texts: texts.filter((one) => one !== undefined),
  };
}

/** The value of a single-quoted literal followed by a comma. */
function textIn(line: string): string | undefined {
  if (!line.startsWith("'") || !line.endsWith("',")) return undefined;
  try {
    const json = line.slice(1, -2).replace(/\\'|\\.|"/g, (found) => DOUBLE.get(found) ?? found);
    const text: unknown = JSON.parse(`"${json}"`);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

const DOUBLE: ReadonlyMap<string, string> = new Map([
  ["\\'", "'"],
  ['"', '\\"'],
]);
