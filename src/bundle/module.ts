/** Writes a policy set as a bundle: the text of an ES module. */

import { children, type Expr } from "../cel/ast.js";
import { FUNCTIONS } from "../cel/functions/registry.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { policySetHash } from "../decisions/policy-set-hash.js";
import type { FunctionRequest } from "../engine/evaluate/equipment.js";
import { functionKey } from "../engine/evaluate/function-key.js";
import { readerSources } from "../engine/evaluate/generator.js";
import type { PlanPair } from "../engine/evaluate/plan-pair.js";
import { type Js, joined, js, quoted, singleQuoted } from "../engine/frame/js.js";
import type { SlotPaths, TypeCheck } from "../engine/frame/layout.js";
import {
  type GeneratedLayer,
  type GeneratedReader,
  generateLayer,
  generateReader,
} from "../engine/generate/generate.js";
import { IndexPlaces } from "../engine/generate/reads.js";
import { allPolicies } from "../policy/all-policies.js";
import { expressionsOf } from "../policy/policy-expressions.js";
import { readerKey } from "./built-functions.js";
import { checksumOf, FORMAT } from "./bundle.js";
import { planPairsOf } from "./bundled-questions.js";
import { CORE } from "./core.js";
import { sha256 } from "./digest.js";
import { pack } from "./pack.js";
import { packTypes } from "./pack-types.js";

export interface BuildOptions {
  /** A whole number that grows with each release of the policies, so that programs can refuse older bundles. Default: 0. */
  readonly version?: number;
}

/** Most characters of generated source in one bundle. Closures judge the questions beyond it. */
const MAX_SOURCE = 262_144;

/** The text of the module. It depends only on the policies and the options, not on the order of files. Needs WebCrypto. */
export async function bundleText(policies: PolicySet, { version = 0 }: BuildOptions = {}): Promise<string> {
  const hash = await policySetHash(policies);
  const texts = pack(policies);
  const checksum = checksumOf({ version, hash, texts });
  const needsAll = needsEverything(policies);
  const written = new WrittenFunctions(policies);
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
    ...written.functions,
    js`],`,
    js`layers: [`,
    ...written.layers,
    js`],`,
    js`readers: [`,
    ...written.readers,
    js`],`,
    js`};`,
  ];
  const body = `${joined(parts, "\n").text}\n`;
  return `${firstLine(await sha256(body))}\n${body}`;
}

/** The first line of a module. `digest` is the SHA-256 of the rest. */
export function firstLine(digest: string): string {
  return `// Written by keyward build, sha256:${digest}. Do not edit it: change the policies, and build it again.`;
}

const HELPER_NAMES: readonly Js[] = [js`O`, js`G`, js`L`, js`I`, js`D`, js`A`, js`X`, js`S`, js`H`, js`C`, js`M`]
  .concat([js`Z`, js`R`, js`J`, js`B`, js`K`, js`Q`, js`U`, js`V`, js`W`, js`WL`, js`NT`, js`HO`, js`ON`, js`E`, js`N`])
  .concat([js`T`, js`Y`, js`TP`, js`TM`, js`PA`, js`PP`, js`SB`, js`SP`, js`SM`]);

/** The helpers that the code uses. A policy's text in a string of the code may add some that it does not use. */
export function helpersIn({ text }: Js): Js {
  const words = new Set(text.match(/\b[A-Z]{1,2}\b/g));
  return joined(
    HELPER_NAMES.filter((name) => words.has(name.text)),
    ", ",
  );
}

/** The generated functions for the questions of a policy set, without duplicates. */
class WrittenFunctions {
  private readonly all: Js[] = [];
  /** Indexes of functions in `all`, by source text and schemas. */
  private readonly known = new Map<string, number>();
  private readonly byLayer = new Map<string, Js>();
  private readonly byPair = new Map<string, Js>();
  private readonly made = new Map<string, GeneratedLayer | undefined>();
  private readonly places = new IndexPlaces();
  private left = MAX_SOURCE;

  constructor(policies: PolicySet) {
    for (const pair of planPairsOf(policies)) this.add(pair);
  }

  get functions(): readonly Js[] {
    return this.all;
  }

  get layers(): readonly Js[] {
    return [...this.byLayer.values()];
  }

  get readers(): readonly Js[] {
    return [...this.byPair.values()];
  }

  private add({ permission, platform }: PlanPair): void {
    const plans = (platform === undefined ? [permission] : [permission, platform]).map((plan) => ({
      wanted: plan.wanted,
      functions: plan.isSteady ? undefined : this.layer(plan.wanted),
    }));
    if (plans.some(({ functions }) => functions !== undefined)) this.reader(plans);
  }

  /** Writes the functions of a plan. Undefined if the plan has no generated form, or the bundle is full. */
  private layer(wanted: FunctionRequest): GeneratedLayer | undefined {
    const key = functionKey(wanted);
    if (this.made.has(key)) return this.made.get(key);
    const made = generateLayer(wanted, this.places);
    const judge = made && this.placeOf({ text: made.text, checks: [] }, []);
    const reader = made && this.placeOf(made.reader, [wanted]);
    const isWritten = judge !== undefined && reader !== undefined;
    this.made.set(key, isWritten ? made : undefined);
    if (made !== undefined && isWritten) {
      this.byLayer.set(key, js`[${quoted(key)}, ${needsOf(made)}, ${judge}, ${reader}],`);
    }
    return this.made.get(key);
  }

  private reader(
    plans: readonly { readonly wanted: FunctionRequest; readonly functions: GeneratedLayer | undefined }[],
  ): void {
    const key = readerKey(plans);
    if (this.byPair.has(key)) return;
    const made = generateReader(...readerSources(plans, ({ resource }) => resource));
    const wanted = plans.map((plan) => plan.wanted);
    const place = this.placeOf(made, wanted);
    if (place !== undefined) this.byPair.set(key, js`[${quoted(key)}, ${place}],`);
  }

  /** The index of a function in `all`. Undefined if the bundle is full. */
  private placeOf({ text, checks }: GeneratedReader, plans: readonly FunctionRequest[]): number | undefined {
    const schemas =
      checks.length === 0 ? [] : plans.map(({ schemas: { principal, resource } }) => [principal, resource]);
    const key = JSON.stringify([schemas, text.text]);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    if (text.text.length > this.left) return undefined;
    this.left -= text.text.length;
    this.known.set(key, this.all.length);
    return this.all.push(js`[${checksOf(checks)}, ${codeOf(text)}],`) - 1;
  }
}

function codeOf(text: Js): Js {
  return js`({ ${helpersIn(text)} }, d) => {\n${text}\n}`;
}

function needsOf({ left, principal, resource }: GeneratedLayer): Js {
  return js`{ left: [${numbers(left)}], principal: ${pathsOf(principal)}, resource: ${pathsOf(resource)} }`;
}

function checksOf(checks: readonly TypeCheck[]): Js {
  const all = checks.map(
    ({ layer, subject, path, asks }) =>
      js`{ layer: ${layer}, subject: ${quoted(subject)}, path: [${list(path)}], asks: ${quoted(asks)} }`,
  );
  return js`[${joined(all, ", ")}]`;
}

function pathsOf(paths: SlotPaths): Js {
  return js`[${joined(
    paths.map(({ path }) => js`{ path: [${list(path)}] }`),
    ", ",
  )}]`;
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
