/** Policy sets to bundles: the text of an ES module. */

import { children, type Expr } from "../cel/ast.js";
import { FUNCTIONS } from "../cel/functions/registry.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { policySetHash } from "../decisions/policy-set-hash.js";
import type { Wanted } from "../engine/evaluate/equipment.js";
import { functionKey } from "../engine/evaluate/function-key.js";
import type { Joint } from "../engine/evaluate/joint.js";
import { selectedOf } from "../engine/evaluate/wanted.js";
import { type Generated, generate, generateStaged, type Write } from "../engine/generate/generate.js";
import { type Js, joined, js, quoted, singleQuoted } from "../engine/generate/js.js";
import type { Part } from "../engine/generate/written.js";
import { expressionsOf } from "../policy/walk.js";
import { checksumOf, FORMAT } from "./bundle.js";
import { CORE } from "./core.js";
import { sha256 } from "./digest.js";
import { pack } from "./pack.js";
import { packTypes } from "./pack-types.js";
import { jointsOf } from "./questions.js";

export interface BuildOptions {
  /** A whole number that grows with each release of the policies: by it an older bundle is refused. Default: 0. */
  readonly version?: number;
  /**
   * Whether the bundle has functions in two stages as well, for `deciderFor` and `keepDeciders`: without them a decider
   * copies no key again, and evaluates all the rest for each decision. They make it about twice as large. Default: false.
   */
  readonly deciders?: boolean;
}

/**
 * Characters of generated source in one bundle: what more there would be is left to closures. Of functions in two stages
 * there are two for each.
 */
const MAX_SOURCE = 262_144;

/**
 * The text of the module: the same for the same policies, in whatever order their files are given, and for the same
 * options. It needs WebCrypto.
 */
export async function bundleText(
  policies: PolicySet,
  { version = 0, deciders = false }: BuildOptions = {},
): Promise<string> {
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
    ...(deciders ? bindingsOf(policies) : []),
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
  .concat([js`Z`, js`R`, js`J`, js`B`, js`K`, js`Q`, js`U`, js`V`, js`W`, js`WL`, js`NT`, js`HO`, js`ON`, js`E`, js`N`])
  .concat([js`T`, js`Y`, js`TP`, js`TM`, js`SB`, js`SP`, js`SM`]);

/** The helpers that code names, and perhaps some that a text of a policy in it does. */
export function helpersIn({ text }: Js): Js {
  const words = new Set(text.match(/\b[A-Z]{1,2}\b/g));
  return joined(
    HELPER_NAMES.filter((name) => words.has(name.text)),
    ", ",
  );
}

/** A function for each question, once for all that can ask the same. */
function functionsOf(policies: PolicySet): readonly Js[] {
  const written = new Written(MAX_SOURCE);
  for (const joint of jointsOf(policies)) {
    if (!joint.isSteady) written.add(joint, undefined, generate);
  }
  return written.all;
}

/** The same in two stages, for deciders of a key, and of key and account, which ask for none where there are outputs. */
function bindingsOf(policies: PolicySet): readonly Js[] {
  const written = new Written(2 * MAX_SOURCE);
  for (const joint of jointsOf(policies)) {
    if (joint.count === 0 || !joint.isBindable) continue;
    for (const binds of [["principal"], ["principal", "account"]] as const) {
      const bound = new Set(binds);
      written.add(joint, bound, (layers, isSelective) => generateStaged(layers, bound, isSelective));
    }
  }
  return written.all;
}

/** Functions as a bundle has them. */
class Written {
  private readonly byKey = new Map<string, Js>();
  private readonly known = new Map<string, Generated | undefined>();
  private left: number;

  /** `most`: characters of source. */
  constructor(most: number) {
    this.left = most;
  }

  get all(): readonly Js[] {
    return [...this.byKey.values()];
  }

  /** The function that what decides will look for first, of those that it can use. `bound`: see {@link functionKey}. */
  add({ wantedByAll, wanted }: Joint, bound: ReadonlySet<Part> | undefined, write: Write): void {
    if (wantedByAll === undefined || !this.has(wantedByAll, bound, write)) this.has(wanted, bound, write);
  }

  /** Whether there is a function for what is wanted, which is written if there is room. */
  private has(wanted: Wanted, bound: ReadonlySet<Part> | undefined, write: Write): boolean {
    const key = functionKey(wanted, bound);
    const made = this.known.has(key) ? this.known.get(key) : write(wanted.layers, wanted.some !== undefined);
    this.known.set(key, made);
    if (made === undefined || selectedOf(wanted, made) === undefined) return false;
    if (this.byKey.has(key)) return true;
    const { text } = made;
    if (text.text.length > this.left) return false;
    this.left -= text.text.length;
    this.byKey.set(key, js`[${quoted(key)}, ${needsOf(made)}, ({ ${helpersIn(text)} }, d) => {\n${text}\n}],`);
    return true;
  }
}

function needsOf({ left, checks, reads, selective }: Generated): Js {
  const checked = checks.map(
    ({ layer, subject, path, asks }) =>
      js`{ layer: ${layer}, subject: ${quoted(subject)}, path: [${list(path)}], asks: ${quoted(asks)} }`,
  );
  const read = reads.map(({ part, path }) => js`{ part: ${quoted(part)}, path: [${list(path)}] }`);
  const some = selective && js`{ readFor: [${numbers(selective.readFor)}], apart: ${selective.apart} }`;
  return js`{ left: [${numbers(left)}], checks: [${joined(checked, ", ")}], reads: [${joined(read, ", ")}], selective: ${some ?? js`undefined`} }`;
}

function list(texts: readonly string[]): Js {
  return joined(texts.map(quoted), ", ");
}

function numbers(all: readonly number[]): Js {
  return joined(
    all.map((number) => js`${number}`),
    ", ",
  );
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
