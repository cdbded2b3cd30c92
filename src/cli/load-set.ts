/** Loads the policies for a command: from a directory of texts, or from a bundle. */

import { readFile, stat } from "node:fs/promises";
import * as E from "fp-ts/lib/Either.js";
import type { BundleFault } from "../bundle/bundle.js";
import { isPublicKey } from "../bundle/signature.js";
import { loadBundleText } from "../bundle/text.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { loadPolicies } from "../node/load.js";
import { printable } from "../policy/escape.js";
import { type Arguments, expectAbsent } from "./arguments.js";
import { rebuildFault } from "./bundle-rebuild.js";
import { existingDirectory } from "./directory.js";
import { messageOf, type Streams, UsageError } from "./exit.js";
import { issueLine } from "./issues.js";
import { tellingOverridden } from "./overridden.js";
import { loadOptionsOf, READ_OPTIONS } from "./policy-options.js";

/** Undefined if the set is refused; its faults are then printed to `err`. */
export async function loadSet(
  path: string,
  given: Arguments,
  streams: Pick<Streams, "err">,
): Promise<PolicySet | undefined> {
  const loaded = await loadedSet(path, given);
  if (E.isRight(loaded)) return tellingOverridden(loaded.right, streams);
  for (const line of loaded.left) streams.err(`${line}\n`);
  return undefined;
}

/** Loads a directory or a bundle. Left: the faults of the policies, one line each. */
export async function loadedSet(path: string, given: Arguments): Promise<E.Either<readonly string[], PolicySet>> {
  return (await isFile(path)) ? await bundleIn(path, given) : await directoryIn(path, given);
}

async function bundleIn(path: string, given: Arguments): Promise<E.Either<readonly string[], PolicySet>> {
  expectNoDirectory(given);
  const loaded = await loadBundle(path, given);
  return E.isLeft(loaded) ? E.left([bundleRefusal(path, loaded.left)]) : loaded;
}

async function directoryIn(path: string, given: Arguments): Promise<E.Either<readonly string[], PolicySet>> {
  expectNoBundle(given);
  const loaded = await loadPolicies(await existingDirectory(path), loadOptionsOf(given))();
  return E.isLeft(loaded) ? E.left(loaded.left.map((issue) => issueLine(issue, path))) : loaded;
}

/** Options that would have no effect on a directory are usage errors. */
export function expectNoBundle(given: Arguments): void {
  expectAbsent(given, ["public-key"], "goes with a bundle");
}

/** Options that change how a bundle is built. */
const BUILT_OPTIONS = ["schema-enforcement", "typed-reads", "cerbos"];

/** Options that would have no effect on a bundle are usage errors. */
export function expectNoDirectory(given: Arguments): void {
  expectAbsent(given, [...Object.keys(READ_OPTIONS), ...BUILT_OPTIONS], "goes with a directory");
}

/**
 * Loads the set of a bundle; with `--public-key`, that key must have signed it. Commands decide by the policies in the
 * bundle, so the bundle is refused if its functions could decide differently.
 */
export async function loadBundle(path: string, given: Arguments): Promise<E.Either<BundleFault, PolicySet>> {
  const key = given.texts.get("public-key");
  const { permissionVersion, platform, globals } = loadOptionsOf(given);
  const options = {
    ...(globals === undefined ? {} : { globals }),
    ...(permissionVersion === undefined ? {} : { permissionVersion }),
    ...(key === undefined ? {} : await signedBy(path, key)),
  };
  const source = await readGiven(path);
  const loaded = await (platform !== "none"
    ? loadBundleText(source, options)
    : loadBundleText(source, { ...options, platform }));
  const fault = E.isLeft(loaded) ? undefined : await rebuildFault(source);
  return fault === undefined ? loaded : E.left(fault);
}

/** The line that tells why a bundle is refused. */
export function bundleRefusal(path: string, fault: BundleFault): string {
  expectBundle(path, fault);
  return faultLine(path, fault);
}

/** A file that is not a bundle is a usage error. */
export function expectBundle(path: string, { kind }: BundleFault): void {
  if (kind === "not_a_bundle") throw new UsageError(`${path} is not a directory, nor a bundle`);
}

/** The fault of a bundle, as a line. */
export function faultLine(path: string, { kind, message }: BundleFault): string {
  return printable(`${path}: error ${kind} ${message}`);
}

/** The public key, and the signature of a bundle: from `signatureFile`, or else from `FILE.sig` if it exists. */
export async function signedBy(bundle: string, keyFile: string, signatureFile?: string) {
  const publicKey = (await readGiven(keyFile)).toString("utf8");
  if (!(await isPublicKey(publicKey))) throw new UsageError(`${keyFile} is not an Ed25519 public key in PEM form`);
  const beside = `${bundle}.sig`;
  const file = signatureFile ?? ((await isFile(beside)) ? beside : undefined);
  return { publicKey, signature: file === undefined ? undefined : (await readGiven(file)).toString("utf8") };
}

export async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Reads a file that was named on the command line. */
export async function readGiven(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${messageOf(error)}`);
  }
}
