/** Runs the code of an operand, and its closure, on a request that a solver found. */

import { closureEnv } from "../../bundle/function-proof.js";
import type { WrittenJudge } from "../../bundle/written-functions.js";
import type { Expr } from "../../cel/ast.js";
import { compile } from "../../cel/compile.js";
import { Activation } from "../../engine/evaluate/activation.js";
import { ALL_NAMES, copiedPrincipal, copiedResource, principalFrame, resourceFrame } from "../../engine/frame/frame.js";
import { type Js, joined, js, type MarkedPiece } from "../../engine/frame/js.js";
import { compileText, type GeneratedReader, generateReader } from "../../engine/generate/generate.js";
import { functionOf } from "../../engine/generate/written.js";
import type { Definitions } from "../../policy/model.js";
import type { RequestJson } from "../../space/draft.js";
import type { Replay } from "../question-prover.js";
import type { FrameRead, JudgeSyntax } from "./judge-syntax.js";

/**
 * Runs the code and the closure on a request, and returns true if the code gives another answer. False if they cannot be
 * run: the request lacks the principal, code may not be made from strings, or the code needs other code.
 */
export function replayOf(
  { wanted, made }: WrittenJudge,
  principal: "key" | "account",
  { code }: MarkedPiece,
  { reads, aheads }: JudgeSyntax,
  expr: Expr,
  definitions: Definitions,
): Replay {
  const temps = new Set(code.text.match(/\bt\d+\b/g));
  const needsOthers = aheads.some(({ name, flag }) => temps.has(name) || temps.has(flag));
  const run = needsOthers ? undefined : functionIn(codeOf(code, reads, temps), [], wanted);
  const readPrincipal = functionIn(made.reader.text, made.reader.checks, wanted);
  const reader = generateReader([made.resource], false, true);
  const readResource = functionIn(reader.text, reader.checks, wanted);
  const closure = compile(expr, closureEnv(definitions));
  return (request: RequestJson) => {
    const subject = request[principal];
    if (subject === undefined || run === undefined) return false;
    if (readPrincipal === undefined || readResource === undefined) return false;
    const roles = principal === "key" ? request.key.roles : ["account"];
    const { kind, id, attr, scope = "" } = request.resource;
    const p = principalFrame(principal, subject.id, roles, subject.attr, subject.scope ?? "");
    const r = resourceFrame(kind, id, attr, scope);
    try {
      readPrincipal(p, p.attr);
      readResource(r, r.attr);
      const found = run(p, r, r.first, undefined);
      const [own, resource] = [copiedPrincipal(p, ALL_NAMES), copiedResource(r, ALL_NAMES)];
      if (own === undefined || resource === undefined) return false;
      const activation = new Activation();
      activation.begin(own, resource, undefined, {}, wanted.types);
      return found !== undefined && found !== closure(activation);
    } catch {
      // The code needs other code, or throws.
      return false;
    }
  };
}

function functionIn(text: Js, checks: GeneratedReader["checks"], { types }: WrittenJudge["wanted"]) {
  const factory = compileText(text);
  return factory && functionOf(factory, checks, [types]);
}

/** A function that returns the value of the code; undefined if the code declines. */
function codeOf(code: Js, reads: ReadonlyMap<string, FrameRead>, temps: ReadonlySet<string>): Js {
  const constants = [...reads].flatMap(([name, read]) => {
    const [, number] = /^a(\d+)$/.exec(name) ?? [];
    if ("slot" in read) {
      const from = read.owner === "principal" ? js`P.s${read.slot}` : js`v.s${read.slot}`;
      return number === undefined ? [] : [js`const a${Number(number)} = ${from};`];
    }
    const field = FIELDS.get(name);
    return field === undefined ? [] : [field];
  });
  const locals = [js`z = 0`, js`k = 0`, ...[...temps].map((name) => js`t${Number(name.slice(1))}`)];
  return js`return function (p, r, v, n) {
const P = p.values;
if (P.k < 0 || v.k < 0) return undefined;
${joined(constants, "\n")}
let ${joined(locals, ", ")};
const o = ${code};
return z === 0 ? o : undefined;
};`;
}

const FIELDS: ReadonlyMap<string, Js> = new Map([
  ["pi", js`const pi = p.id;`],
  ["pr", js`const pr = p.roles;`],
  ["ri", js`const ri = r.id;`],
  ["rk", js`const rk = r.kind;`],
]);
