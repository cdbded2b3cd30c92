/** Writes the operations that a role or a key may perform, as text for people and as CSV. */

import { jsonText, printable } from "../../policy/escape.js";
import { UNNAMED } from "../../policy/glob-classes.js";
import { quotedCell, withoutFormula } from "../csv.js";
import { plural } from "../plural.js";
import { type PaintText, PLAIN_TEXT } from "../style.js";
import type { SpokenCondition } from "../who/types.js";
import type { OperationPower, WhatCan } from "./types.js";

type Answer = Extract<WhatCan, { kind: "answered" }>;

/** The account of {@link whatCan}, with a final line break. `caller` names the role and the assumption. */
export function canText(found: Answer, caller: string, paint: PaintText = PLAIN_TEXT): string {
  const head = `${caller}: ${verdictOf(found)}`;
  return [head, ...found.operations.map((one) => linesOf(one, paint).join("\n"))].join("\n\n").concat("\n");
}

/** How many operations the caller can do, and is that proved? */
export function verdictOf({ operations, isUnscoped }: Answer): string {
  const count = (can: OperationPower["can"]) => operations.filter((one) => one.can === can).length;
  const open = operations.filter(({ result }) => result !== "proved").length;
  const verdict = open === 0 ? "This is proved." : `${plural(open, "operation")} not proved.`;
  const scopes = isUnscoped ? " The policies have no scopes, so this is about requests without a scope." : "";
  const counts = `${count("always")} always, ${count("conditionally")} under conditions, ${count("never")} never`;
  return `of ${plural(operations.length, "operation")}, ${counts}. ${verdict}${scopes}`;
}

/**
 * A table in CSV, with a row for each operation that the caller can do, or for which this is not proved. Cells that
 * spreadsheets would take for a formula begin with an apostrophe.
 */
export function canCsv({ operations }: Answer): string {
  const rows = operations
    .filter(({ can }) => can !== "never")
    .map((one) => {
      const proved = one.result === "proved" ? "yes" : `no: ${one.why ?? "a way that no request shows"}`;
      return [operationName(one), kindName(one), one.version ?? "", one.can, one.by ?? "", conditionsOf(one), proved];
    });
  const header = ["operation", "kind", "version", "can", "by", "conditions", "proved"];
  return [header, ...rows].map((cells) => `${cells.map(cell).join(",")}\n`).join("");
}

function linesOf(one: OperationPower, paint: PaintText): readonly string[] {
  const version = one.version === undefined ? "" : `, policies of version ${one.version}`;
  const name = paint("strong", printable(`${operationName(one)} on ${kindName(one)}${version}`));
  const by = one.by === "permissions" ? ", only by the key's own permissions" : "";
  const assumes = one.result === "proved" && one.assumed.length > 0 ? ` (assumes ${one.assumed.join(", ")})` : "";
  const lines = [`${name}: ${CAN_WORDS[one.can]}${by}${printable(assumes)}`];
  if (one.can !== "always") {
    for (const [i, way] of [...one.ways, ...one.unshown].entries()) {
      const start = i === 0 ? "when" : "or when";
      lines.push(`  ${"why" in way ? paint("warn", `${start}, without an example`) : start}`);
      lines.push(...[...way.when, ...way.told].map(({ text }) => `    - ${printable(text)}`));
      lines.push(
        "why" in way ? `    ${printable(way.why)}` : `    ${paint("dim", `for example ${jsonText(way.request)}`)}`,
      );
    }
  }
  if (one.why !== undefined) lines.push(paint("warn", `  not proved: ${printable(one.why)}`));
  return lines;
}

export const CAN_WORDS: { readonly [can in OperationPower["can"]]: string } = {
  always: "always",
  conditionally: "under conditions",
  never: "never",
  unknown: "not known",
};

function conditionsOf({ can, ways, unshown }: OperationPower): string {
  if (can === "always") return "";
  const said = ({ text }: SpokenCondition) => text;
  return [...ways, ...unshown].map(({ when, told }) => [...when, ...told].map(said).join("; ")).join("; or else ");
}

export function operationName({ operation }: OperationPower): string {
  return operation === UNNAMED ? "operations that no rule names" : operation;
}

export function kindName({ kind }: OperationPower): string {
  return kind === UNNAMED ? "kinds that no policy names" : kind;
}

function cell(text: string): string {
  return quotedCell(printable(withoutFormula(text)));
}
