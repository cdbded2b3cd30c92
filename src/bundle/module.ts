/** Policy sets to bundles: the text of an ES module. */

import { children, type Expr } from "../cel/ast.js";
import { FUNCTIONS } from "../cel/functions/registry.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { policySetHash } from "../decisions/policy-set-hash.js";
import { generate } from "../engine/generate/generate.js";
import { type Js, joined, js, quoted, singleQuoted } from "../engine/generate/js.js";
import { expressionsOf } from "../policy/walk.js";
import { checksumOf, FORMAT } from "./bundle.js";
import { CORE } from "./core.js";
import { sha256 } from "./digest.js";
import { functionKey } from "./function-key.js";
import { pack } from "./pack.js";
import { packTypes } from "./pack-types.js";
import { jointsOf } from "./questions.js";

export interface BuildOptions {
  /** A whole number that grows with each release of the policies: by it an older bundle is refused. Default: 0. */
  readonly version?: number;
}

/** Characters of generated source in one bundle: what more there would be is left to closures. */
const MAX_SOURCE = 262_144;

/**
 * The text of the module: the same for the same policies, in whatever order their files are given, and for the same
 * options. It needs WebCrypto.
 */
export async function bundleText(policies: PolicySet, { version = 0 }: BuildOptions = {}): Promise<string> {
  const hash = await policySetHash(policies);
  const texts = pack(policies);
  const checksum = checksumOf({ version, hash, texts });
  const needsAll = needsEverything(policies);
  const parts: readonly Js[] = [
    ...(needsAll ? [js`import { EVERYTHING } from "keyward/runtime/everything";`] : []),
    js`export const bundle = {`,
    js`format: ${FORMAT},`,
    js`version: ${version},`,
    js`hash: ${quoted(hash)},`,
    js`checksum: ${quoted(checksum)},`,
    js`texts: [`,
    ...texts.map((text) => js`${singleQuoted(text)},`),
    js`],`,
    needsAll ? js`equipment: EVERYTHING,` : js`equipment: undefined,`,
    js`functions: [`,
    ...functionsOf(policies),
    js`],`,
    js`};`,
  ];
  const body = `${joined(parts, "\n").text}\n`;
  return `${firstLine(await sha256(body))}\n${body}`;
}

/** The first line of a module, of whose rest it has the SHA-256. */
export function firstLine(digest: string): string {
  return `// Written by keyward build, sha256:${digest}. Do not edit it: change the policies, and build it again.`;
}

const HELPER_NAMES: readonly Js[] = [js`O`, js`G`, js`L`, js`I`, js`D`, js`A`, js`X`, js`S`, js`H`, js`C`, js`M`]
  .concat([js`Z`, js`R`, js`J`, js`B`, js`K`, js`U`, js`V`, js`W`, js`WL`, js`HO`, js`E`, js`N`, js`T`, js`Y`])
  .concat([js`TP`, js`TM`, js`SB`, js`SP`, js`SM`]);

/** The helpers that code names, and perhaps some that a text of a policy in it does. */
export function helpersIn({ text }: Js): Js {
  const words = new Set(text.match(/\b[A-Z]{1,2}\b/g));
  return joined(
    HELPER_NAMES.filter((name) => words.has(name.text)),
    ", ",
  );
}

function functionsOf(policies: PolicySet): readonly Js[] {
  const written = new Map<string, Js>();
  let left = MAX_SOURCE;
  for (const joint of jointsOf(policies)) {
    if (joint.count === 0) continue;
    const { wanted } = joint;
    const key = functionKey(wanted);
    if (written.has(key)) continue;
    const made = generate(wanted.layers, wanted.keepsReads);
    if (made === undefined || made.text.text.length > left) continue;
    left -= made.text.text.length;
    const numbers = joined(
      made.left.map((number) => js`${number}`),
      ", ",
    );
    const checks = made.checks.map(
      ({ layer, subject, path, asks }) =>
        js`{ layer: ${layer}, subject: ${quoted(subject)}, path: [${list(path)}], asks: ${quoted(asks)} }`,
    );
    const reads = made.reads.map(({ part, path }) => js`[${list([part, ...path])}]`);
    const needs = js`[${numbers}], [${joined(checks, ", ")}], [${joined(reads, ", ")}]`;
    written.set(key, js`[${quoted(key)}, ${needs}, ({ ${helpersIn(made.text)} }, d) => {\n${made.text}\n}],`);
  }
  return [...written.values()];
}

function list(texts: readonly string[]): Js {
  return joined(texts.map(quoted), ", ");
}

/** Whether the policies call functions beyond the core, enforce schemas, or have schemas that must be read. */
function needsEverything(policies: PolicySet): boolean {
  const { model, permission } = policies;
  const { resourcePolicies, principalPolicies, rolePolicies } = model;
  const all = [...resourcePolicies, ...principalPolicies, ...rolePolicies];
  const calls = all.some((policy) => expressionsOf(policy).some(({ expr }) => callsMore(expr)));
  return calls || permission.enforcesSchemas || packTypes(policies) === null;
}

function callsMore(expr: Expr): boolean {
  if (expr.kind === "call" || expr.kind === "member") {
    const style = expr.kind === "member" ? "member" : "global";
    // A function is in the core with all of its overloads, since calls say by number which is run.
    if (CORE.functions.overloadsOf(expr.fn, style).length !== FUNCTIONS.overloadsOf(expr.fn, style).length) return true;
  }
  return children(expr).some(callsMore);
}
