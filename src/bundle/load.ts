/** Turns bundles into policy sets. */

import type { Either } from "fp-ts/lib/Either.js";
import { COMPILE_OPTIONS, type CompileOptions } from "../decisions/compile-options.js";
import { givenGlobals, PLATFORM_VERSION } from "../decisions/configuration.js";
import type { PermissionSet, PolicySet } from "../decisions/policy-set.js";
import type { PolicyTypes } from "../decisions/policy-types.js";
import type { Equipment } from "../engine/evaluate/equipment.js";
import type { PolicyIssue } from "../policy/issue.js";
import { ANY, among, checkOptions, FLAG, type OptionTable } from "../policy/options.js";
import { BuiltFunctions } from "./built-functions.js";
import { type Bundle, type BundleData, type BundleFault, checksumOf, codeChecksumOf, FORMAT } from "./bundle.js";
import { CORE } from "./core.js";
import { SIGNER_OPTIONS } from "./signature.js";
import { headOf, unpack } from "./unpack.js";

/**
 * The layers and the version that a program expects of a bundle, and the values of its globals. Name the layers as for
 * `compilePolicies`; layers that the policies' `keyward.yaml` names need no name here.
 */
export interface BundleOptions extends Pick<CompileOptions, "permissionVersion" | "platformVersion" | "globals"> {
  /** `none`: the bundle must be permission-only. */
  readonly platform?: "none";
  /**
   * The lowest version (`keyward build --set-version`) to accept. Default: 0. If the option is present but `undefined`,
   * every bundle is refused.
   */
  readonly minVersion?: number;
  /**
   * Uses the functions of an imported bundle although they are not the text that was built, as after a minifier. Without
   * it, closures decide by the policies of such a bundle, and `warnings` of the set says so.
   */
  readonly rewritten?: true;
}

export const BUNDLE_OPTIONS = {
  permissionVersion: COMPILE_OPTIONS.permissionVersion,
  platformVersion: COMPILE_OPTIONS.platformVersion,
  globals: COMPILE_OPTIONS.globals,
  platform: among(["none"]),
  minVersion: ANY,
  rewritten: FLAG,
} satisfies OptionTable<BundleOptions>;

/** The options of a bundle of a {@link PermissionSet}. */
export interface PermissionBundle extends BundleOptions {
  readonly platform: "none";
  readonly platformVersion?: never;
}

/**
 * Loads the policies of an imported bundle. They decide exactly as the source files do. Left: why the bundle is
 * refused. Throws a `TypeError` for an unknown option or an invalid value.
 *
 * An imported module is code of the program: anyone who can change the module can change the program. Load a bundle from
 * elsewhere as text, with a key: `loadBundleText` of `keyward/runtime/watch`.
 */
export function loadBundle<T extends PolicyTypes = PolicyTypes>(
  bundle: Bundle<T>,
  options: PermissionBundle,
): Either<BundleFault, PermissionSet<T>>;
export function loadBundle<T extends PolicyTypes = PolicyTypes>(
  bundle: Bundle<T>,
  options?: BundleOptions,
): Either<BundleFault, PolicySet<T>>;
export function loadBundle(bundle: Bundle, options: BundleOptions = {}): Either<BundleFault, PolicySet> {
  checkOptions(options, { ...BUNDLE_OPTIONS, ...SIGNED_OPTIONS });
  const fault = importedFault(options) ?? faultOf(bundle, options) ?? layersFault(bundle, options);
  if (fault !== undefined) return { _tag: "Left", left: fault };
  const globals = givenGlobals(options.globals);
  try {
    const { equipment = CORE } = bundle;
    const areBuilt = options.rewritten === true || codeOf(bundle) === bundle.code;
    const built = areBuilt ? new BuiltFunctions(bundle) : undefined;
    const source = built && (() => built);
    return { _tag: "Right", right: setOf(bundle, { ...equipment, source }, globals, areBuilt ? [] : [REWRITTEN]) };
  } catch {
    return { _tag: "Left", left: DAMAGED };
  }
}

/** The checksum of the functions as they were imported. */
function codeOf({ functions, ...tables }: Bundle): string {
  return codeChecksumOf(
    functions.map(([checks, factory]) => [checks, String(factory)]),
    tables,
  );
}

const REWRITTEN: PolicyIssue = {
  file: "bundle",
  line: 1,
  column: 1,
  severity: "warning",
  code: "rewritten_functions",
  message:
    "its functions are not the text that keyward build wrote, so they are not used: decisions are the same, and slower",
  hint: "exclude the bundle from bundling and minifying, or load it with rewritten: true after keyward verify",
};

/** Thrown by {@link loadBundleOrThrow}. */
export class BundleError extends Error {
  override readonly name = "BundleError";
  readonly fault: BundleFault;

  constructor(fault: BundleFault) {
    super(`the bundle is refused: ${fault.message}`);
    this.fault = fault;
  }
}

/** {@link loadBundle} for programs that cannot go on without their policies: throws a {@link BundleError}. */
export function loadBundleOrThrow<T extends PolicyTypes = PolicyTypes>(
  bundle: Bundle<T>,
  options: PermissionBundle,
): PermissionSet<T>;
export function loadBundleOrThrow<T extends PolicyTypes = PolicyTypes>(
  bundle: Bundle<T>,
  options?: BundleOptions,
): PolicySet<T>;
export function loadBundleOrThrow(bundle: Bundle, options?: BundleOptions): PolicySet {
  const loaded = loadBundle(bundle, options);
  if (loaded._tag === "Left") throw new BundleError(loaded.left);
  return loaded.right;
}

/** The policy set of a valid bundle, with a copy of the globals that the program gives. Throws if its texts are damaged. */
export function setOf(
  { texts, hash }: BundleData,
  equipment: Equipment,
  globals?: CompileOptions["globals"],
  warnings?: readonly PolicyIssue[],
): PolicySet {
  return unpack(texts, equipment, hash, globals, warnings);
}

export const DAMAGED: BundleFault = {
  kind: "damaged",
  message: "it differs from the bundle as built: it was changed or cut",
};

/** Options of bundles as text. An imported bundle with a key or a signature is refused by {@link importedFault}. */
export const SIGNED_OPTIONS = { ...SIGNER_OPTIONS, signature: ANY };

/** JavaScript programs can pass a key, but the signature of an imported bundle cannot be checked here. */
export function importedFault(options: object): BundleFault | undefined {
  if (!("publicKey" in options || "signature" in options)) return undefined;
  return {
    kind: "unsigned",
    message: "no signature of an imported bundle can be checked: load it as text (loadBundleText, watchBundle)",
  };
}

/** Why a bundle is refused regardless of its layers; undefined if it is sound. */
export function faultOf(bundle: BundleData, options: Pick<BundleOptions, "minVersion">): BundleFault | undefined {
  const { minVersion = 0 } = options;
  // An option from the environment can be undefined or not a number. Ignoring it would accept every version.
  if ("minVersion" in options && (typeof options.minVersion !== "number" || Number.isNaN(minVersion))) {
    return { kind: "older", message: "minVersion must be a number; without minVersion, every version is accepted" };
  }
  if (!isBundle(bundle)) {
    return { kind: "not_a_bundle", message: "this is not what `keyward build` writes: pass the module's `bundle`" };
  }
  const { format, version, checksum } = bundle;
  if (format !== FORMAT) {
    const message = `its format is ${String(format)}, and this release reads ${FORMAT}: build it with this release`;
    return { kind: "format", message };
  }
  if (checksumOf(bundle) !== checksum) return DAMAGED;
  if (version < minVersion) {
    return { kind: "older", message: `its version is ${version}, and there is ${minVersion} already` };
  }
  return undefined;
}

/** Why a bundle's layers do not fit the options; undefined if they fit. */
export function layersFault({ texts }: BundleData, options: BundleOptions): BundleFault | undefined {
  try {
    const { configuration } = headOf(texts);
    const { permissionVersion: permission, platformVersion: other } = configuration;
    const wanted = configuration.namesLayers ? configuration : DEFAULT_LAYERS;
    const { permissionVersion = wanted.permissionVersion, platform, platformVersion } = options;
    const wantedPlatform = platform === "none" ? null : (platformVersion ?? wanted.platformVersion);
    if (permission === permissionVersion && other === wantedPlatform) return undefined;
    const expected = layersText(permissionVersion, wantedPlatform);
    return {
      kind: "layers",
      message: `it is of ${layersText(permission, other)}, but is loaded as one of ${expected}`,
    };
  } catch {
    return DAMAGED;
  }
}

const DEFAULT_LAYERS = { permissionVersion: "default", platformVersion: PLATFORM_VERSION };

function layersText(permission: string, platform: string | null): string {
  if (platform === null) return `the permission layer ${JSON.stringify(permission)} alone`;
  return `the layers ${JSON.stringify(permission)} and ${JSON.stringify(platform)}`;
}

function isBundle(given: unknown): boolean {
  if (typeof given !== "object" || given === null || !("format" in given)) return false;
  if (given.format !== FORMAT) return typeof given.format === "number";
  const { version, hash, checksum, texts }: { [name: string]: unknown } = { ...given };
  return (
    typeof version === "number" &&
    typeof hash === "string" &&
    typeof checksum === "string" &&
    Array.isArray(texts) &&
    texts.every((text) => typeof text === "string")
  );
}
