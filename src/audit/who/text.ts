/** Who may do something, as text for people. */

import { jsonText, printable } from "../../policy/escape.js";
import { plural } from "../plural.js";
import { type PaintText, PLAIN_TEXT } from "../style.js";
import type { AllowedWay, OperationWays, SpokenCondition } from "./types.js";

/** The account of {@link whoMay}, with a final line break. */
export function whoText(operations: readonly OperationWays[], paint: PaintText = PLAIN_TEXT): string {
  return operations.map((one) => `${linesOf(one, paint).join("\n")}\n`).join("\n");
}

function linesOf(
  { operation, kind, version, assumed, searched, result, ways, unshown, why }: OperationWays,
  paint: PaintText,
): readonly string[] {
  const policies = version === undefined ? "" : `, policies of version ${printable(version)},`;
  const name = paint("strong", `${printable(operation)} on ${printable(kind)}${policies}`);
  if (!searched) {
    return [`${name}: ${paint("warn", `the search for ways did not run: ${printable(why ?? "")}`)}`];
  }
  const assumes = result === "proved" && assumed.length > 0 ? ` It assumes ${assumed.map(printable).join(", ")}.` : "";
  const lines = [`${name} ${summary(ways.length, result === "proved")}${assumes}`];
  const all = [...ways, ...unshown];
  const common = all.length < 2 ? [] : sharedBy(all.map(({ when }) => when));
  if (common.length > 0) lines.push("", "  Every way requires", ...items(common));
  for (const [i, way] of all.entries()) {
    const own = way.when.filter(({ text }) => !common.some((one) => one.text === text));
    const isShown = "request" in way;
    lines.push("", `  ${i + 1}. ${isShown ? "When" : paint("warn", "Without an example: when")}`);
    lines.push(...items(own.length === 0 && common.length === 0 ? [{ text: "always" }] : own));
    lines.push(...items(way.told));
    lines.push(isShown ? `     ${paint("dim", "for example")} ${jsonText(way.request)}` : `     ${printable(way.why)}`);
  }
  if (why !== undefined) lines.push("", paint("warn", `there may be other ways: ${printable(why)}`));
  return lines;
}

function summary(count: number, isProved: boolean): string {
  if (count === 0) return isProved ? "is never allowed. This is proved." : "may be allowed, but no way was found.";
  return `is allowed in ${plural(count, "way")}.${isProved ? ` It is proved that there ${count === 1 ? "is no other" : "are no others"}.` : ""}`;
}

/** The statements that all of several ways share. */
export function sharedBy(ways: readonly (readonly SpokenCondition[])[]): readonly SpokenCondition[] {
  const [first = [], ...others] = ways;
  return first.filter(({ text }) => others.every((other) => other.some((one) => one.text === text)));
}

/** The conditions of a way and its example, as lines. */
export function wayLines({ when, told, request }: AllowedWay): readonly string[] {
  const said = [...when, ...told];
  return [...items(said.length === 0 ? [{ text: "always" }] : said), `     for example ${jsonText(request)}`];
}

function items(said: readonly Pick<SpokenCondition, "text">[]): readonly string[] {
  return said.map(({ text }) => `     - ${printable(text)}`);
}
