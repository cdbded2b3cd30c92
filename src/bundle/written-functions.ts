/** Writes the generated functions of a bundle, and proves each of them. */

import type { PolicySet } from "../decisions/policy-set.js";
import type { FunctionRequest } from "../engine/evaluate/equipment.js";
import { functionKey } from "../engine/evaluate/function-key.js";
import { readerSources } from "../engine/evaluate/generator.js";
import type { PlanPair } from "../engine/evaluate/plan-pair.js";
import { type Js, joined, js, json, quoted } from "../engine/frame/js.js";
import type { SlotPaths, TypeCheck } from "../engine/frame/layout.js";
import type { MarkedOperands } from "../engine/generate/draft.js";
import {
  type GeneratedLayer,
  type GeneratedReader,
  generateLayer,
  generateReader,
} from "../engine/generate/generate.js";
import { IndexPlaces } from "../engine/generate/reads.js";
import type { LayerNeeds } from "../engine/generate/written.js";
import { readerKey } from "./built-functions.js";
import { type BundledLayer, type BundledReader, codeChecksumOf } from "./bundle.js";
import { planPairsOf } from "./bundled-questions.js";
import { type FunctionProof, proveJudge } from "./function-proof.js";

/** Most characters of generated source in one bundle. Closures judge the questions beyond it. */
const MAX_SOURCE = 262_144;

const HELPER_NAMES: readonly Js[] = [js`O`, js`G`, js`L`, js`I`, js`D`, js`A`, js`X`, js`S`, js`H`, js`C`, js`M`]
  .concat([js`Z`, js`R`, js`J`, js`B`, js`K`, js`Q`, js`U`, js`V`, js`W`, js`WL`, js`NT`, js`HO`, js`ON`, js`E`, js`N`])
  .concat([js`T`, js`Y`, js`TP`, js`TM`, js`PA`, js`PP`, js`CP`, js`SB`, js`SP`, js`SM`]);

/** The helpers that the code uses. A policy's text in a string of the code may add some that it does not use. */
export function helpersIn({ text }: Js): Js {
  const words = new Set(text.match(/\b[A-Z]{1,2}\b/g));
  return joined(
    HELPER_NAMES.filter((name) => words.has(name.text)),
    ", ",
  );
}

/** A function that was written: its type checks, and the text of its code in the module. */
type WrittenFunction = readonly [checks: readonly TypeCheck[], code: Js];

/** A judge of a bundle. */
export interface WrittenJudge {
  readonly wanted: FunctionRequest;
  /** Its code, with `operands` marked. */
  readonly made: GeneratedLayer;
  readonly operands: MarkedOperands;
  /** The principals that it judges: keys as a judge of the permission layer, accounts as one of the platform layer. */
  readonly principals: ReadonlySet<"key" | "account">;
}

/** The generated functions for the questions of a policy set, without duplicates. */
export class WrittenFunctions {
  readonly functions: WrittenFunction[] = [];
  readonly layers: BundledLayer[] = [];
  readonly readers: BundledReader[] = [];
  /** For each of `layers`. */
  readonly proofs: FunctionProof[] = [];
  readonly judges: WrittenJudge[] = [];
  /** Indexes of functions, by source text and schemas. */
  private readonly known = new Map<string, number>();
  private readonly pairs = new Set<string>();
  private readonly made = new Map<string, GeneratedLayer | undefined>();
  private readonly principals = new Map<string, Set<"key" | "account">>();
  private readonly places = new IndexPlaces();
  private left = MAX_SOURCE;

  constructor(policies: PolicySet) {
    for (const pair of planPairsOf(policies)) this.add(pair);
  }

  /** The fields of the module with the functions. */
  get code(): readonly Js[] {
    const texts = this.functions.map(([checks, { text }]) => [checks, text] as const);
    return [
      js`functions: [`,
      ...this.functions.map(([checks, code]) => js`[${json(checks)}, ${code}],`),
      js`],`,
      js`layers: [`,
      ...this.layers.map((one) => js`${json(one)},`),
      js`],`,
      js`readers: [`,
      ...this.readers.map((one) => js`${json(one)},`),
      js`],`,
      js`code: ${quoted(codeChecksumOf(texts, this))},`,
    ];
  }

  private add({ permission, platform }: PlanPair): void {
    const plans = (platform === undefined ? [permission] : [permission, platform]).map((plan) => ({
      wanted: plan.wanted,
      functions: plan.isSteady ? undefined : this.layer(plan.wanted, plan === permission ? "key" : "account"),
    }));
    if (plans.some(({ functions }) => functions !== undefined)) this.reader(plans);
  }

  /** Writes and proves the functions of a plan. Undefined if the plan has no generated form, or the bundle is full. */
  private layer(wanted: FunctionRequest, principal: "key" | "account"): GeneratedLayer | undefined {
    const key = functionKey(wanted);
    const principals = this.principals.get(key) ?? new Set();
    this.principals.set(key, principals.add(principal));
    if (this.made.has(key)) return this.made.get(key);
    const operands: MarkedOperands = [];
    const made = generateLayer(wanted, this.places, operands);
    const judge = made && this.placeOf({ text: made.text.unmarked(), checks: [] }, []);
    const reader = made && this.placeOf(made.reader, [wanted]);
    const isWritten = judge !== undefined && reader !== undefined;
    this.made.set(key, isWritten ? made : undefined);
    if (made !== undefined && isWritten) {
      this.layers.push([key, needsOf(made), judge, reader]);
      this.proofs.push(proveJudge(wanted, made, operands));
      this.judges.push({ wanted, made, operands, principals });
    }
    return this.made.get(key);
  }

  private reader(
    plans: readonly { readonly wanted: FunctionRequest; readonly functions: GeneratedLayer | undefined }[],
  ): void {
    const key = readerKey(plans);
    if (this.pairs.has(key)) return;
    this.pairs.add(key);
    const made = generateReader(...readerSources(plans, ({ resource }) => resource));
    const wanted = plans.map((plan) => plan.wanted);
    const place = this.placeOf(made, wanted);
    if (place !== undefined) this.readers.push([key, place]);
  }

  /** The index of a function. Undefined if the bundle is full. */
  private placeOf({ text, checks }: GeneratedReader, plans: readonly FunctionRequest[]): number | undefined {
    const schemas =
      checks.length === 0 ? [] : plans.map(({ schemas: { principal, resource } }) => [principal, resource]);
    const key = JSON.stringify([schemas, text.text]);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    if (text.text.length > this.left) return undefined;
    this.left -= text.text.length;
    this.known.set(key, this.functions.length);
    return this.functions.push([checks.map(checkOf), js`({ ${helpersIn(text)} }, d) => {\n${text}\n}`]) - 1;
  }
}

/** The fields that are written, in the order in which they are written. */
function checkOf({ layer, subject, path, asks }: TypeCheck): TypeCheck {
  return { layer, subject, path, asks };
}

function needsOf({ left, principal, resource }: GeneratedLayer): LayerNeeds {
  return { left, principal: pathsOf(principal), resource: pathsOf(resource) };
}

function pathsOf(paths: SlotPaths): SlotPaths {
  return paths.map(({ path }) => ({ path }));
}
