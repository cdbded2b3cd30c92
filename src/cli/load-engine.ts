/** The engine that answers as the Cerbos server does, as the options of a command ask for it. */

import * as E from "fp-ts/lib/Either.js";
import { readBundleText } from "../bundle/text.js";
import { headOf, modelOf } from "../bundle/unpack.js";
import { engineOptionsOfSet } from "../cerbos/set-engine.js";
import { type CheckEngine, checkEngineOf } from "../engine/evaluate/check-engine.js";
import type { CompileCheckOptions } from "../engine/evaluate/compile-check-engine.js";
import { FULL_EQUIPMENT } from "../engine/evaluate/full-equipment.js";
import { loadCheckEngine } from "../node/load-check-engine.js";
import type { Arguments } from "./arguments.js";
import { rebuildFault } from "./bundle-rebuild.js";
import { existingDirectory } from "./directory.js";
import { globalsFile } from "./globals.js";
import { issueLine } from "./issues.js";
import { bundleRefusal, expectNoBundle, expectNoDirectory, isFile, readGiven, signedBy } from "./load-set.js";
import { loadOptionsOf, readOptionsOf } from "./policy-options.js";

/** The settings that options give. */
export function engineOptionsOf(given: Arguments): CompileCheckOptions {
  const { permissionVersion, schemaEnforcement, cerbos } = loadOptionsOf(given);
  const globals = given.texts.get("globals");
  return {
    ...(permissionVersion === undefined ? {} : { defaultPolicyVersion: permissionVersion }),
    ...(schemaEnforcement === undefined ? {} : { schemaEnforcement }),
    ...(cerbos === undefined ? {} : { cerbos }),
    ...(given.switches.has("lenient-scope-search") ? { lenientScopeSearch: true } : {}),
    ...(given.switches.has("strict-evaluation") ? { strictEvaluation: true } : {}),
    ...(globals === undefined ? {} : { globals: globalsFile(globals) }),
  };
}

/** Loads a directory or a bundle. Left: the faults of the policies, one line each. */
export async function loadEngine(
  path: string,
  given: Arguments,
  options: CompileCheckOptions,
): Promise<E.Either<readonly string[], CheckEngine>> {
  if (!(await isFile(path))) {
    expectNoBundle(given);
    const loaded = await loadCheckEngine(await existingDirectory(path), { ...readOptionsOf(given), ...options })();
    return E.isLeft(loaded) ? E.left(loaded.left.map((issue) => issueLine(issue, path))) : loaded;
  }
  expectNoDirectory(given);
  const key = given.texts.get("public-key");
  const source = await readGiven(path);
  const read = await readBundleText(source, key === undefined ? {} : await signedBy(path, key));
  if (E.isLeft(read)) return E.left([bundleRefusal(path, read.left)]);
  const fault = await rebuildFault(source);
  if (fault !== undefined) return E.left([bundleRefusal(path, fault)]);
  const { texts } = read.right;
  const built = engineOptionsOfSet(headOf(texts).configuration);
  return E.right(checkEngineOf(modelOf(texts), FULL_EQUIPMENT, { ...built, ...options }));
}
