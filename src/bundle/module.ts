/** Writes a policy set as a bundle: the text of an ES module. */

import { children, type Expr } from "../cel/ast.js";
import { FUNCTIONS } from "../cel/functions/registry.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { policySetHash } from "../decisions/policy-set-hash.js";
import { type Js, joined, js, json, quoted, singleQuoted } from "../engine/frame/js.js";
import { allPolicies } from "../policy/all-policies.js";
import { expressionsOf } from "../policy/policy-expressions.js";
import { type Certificate, checksumOf, FORMAT } from "./bundle.js";
import { certificateOf } from "./certificate.js";
import { CORE } from "./core.js";
import { sha256 } from "./digest.js";
import { pack } from "./pack.js";
import { packTypes } from "./pack-types.js";
import { WrittenFunctions, type WrittenJudge } from "./written-functions.js";

export interface BuildOptions {
  /** A whole number that grows with each release of the policies, so that programs can refuse older bundles. Default: 0. */
  readonly version?: number;
}

/** The text of the module: see {@link build}. */
export async function bundleText(policies: PolicySet, options: BuildOptions = {}): Promise<string> {
  return (await build(policies, options)).text;
}

/** The text of a module, its certificate, and its judges as they were generated. */
export interface BuiltBundle {
  readonly text: string;
  readonly certificate: Certificate;
  readonly judges: readonly WrittenJudge[];
}

/**
 * Builds a bundle, and proves its functions. The text depends only on the policies and the options, not on the order of
 * files. Needs WebCrypto. Throws `RefutedFunction` where a function does not decide as its plan does.
 */
export async function build(policies: PolicySet, { version = 0 }: BuildOptions = {}): Promise<BuiltBundle> {
  const hash = await policySetHash(policies);
  const texts = pack(policies);
  const checksum = checksumOf({ version, hash, texts });
  const needsAll = needsEverything(policies);
  const written = new WrittenFunctions(policies);
  const certificate = await certificateOf(texts, written);
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
    ...written.code,
    js`certificate: ${json(certificate)},`,
    js`};`,
  ];
  const body = `${joined(parts, "\n").text}\n`;
  return { text: `${firstLine(await sha256(body))}\n${body}`, certificate, judges: written.judges };
}

/** The first line of a module. `digest` is the SHA-256 of the rest. */
export function firstLine(digest: string): string {
  return `// Written by keyward build, sha256:${digest}. Do not edit it: change the policies, and build it again.`;
}

/** Whether the policies call functions beyond the core, enforce schemas, or have schemas that must be read. */
function needsEverything(policies: PolicySet): boolean {
  const { model, permission } = policies;
  const calls = allPolicies(model).some((policy) => expressionsOf(policy).some(({ expr }) => callsMore(expr)));
  return calls || permission.enforcesSchemas || packTypes(policies) === null;
}

function callsMore(expr: Expr): boolean {
  if (expr.kind === "call" || expr.kind === "member") {
    const style = expr.kind === "member" ? "member" : "global";
    // A call names its overload by number, so the core must have all overloads of the function.
    if (CORE.functions.overloadsOf(expr.fn, style).length !== FUNCTIONS.overloadsOf(expr.fn, style).length) return true;
  }
  return children(expr).some(callsMore);
}
