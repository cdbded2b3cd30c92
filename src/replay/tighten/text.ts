/** The result of a tightening as a text, and as rows for a spreadsheet. */

import { csvRow } from "../../audit/csv.js";
import { plural } from "../../audit/plural.js";
import { printable } from "../../policy/escape.js";
import type { ReplayReport } from "../report.js";
import { reasonsOf } from "../text.js";
import type { TightenedKey } from "./key-tightening.js";
import type { TighteningResult } from "./tightening.js";
import type { UseCounts } from "./use-count.js";

/** The lines of the logs, all keys, and the rules that allow. */
export interface TightenReport extends TighteningResult {
  readonly log: Pick<ReplayReport, "lines" | "from" | "to" | "skipped" | "undetermined" | "notes">;
}

export function tightenText({ log, keys, roles, rules }: TightenReport): string {
  const { lines, from, to, skipped, undetermined, notes } = log;
  const time = from === undefined ? "" : ` from ${from} to ${to}`;
  return [
    `${plural(lines, "line")}${time}: ${plural(keys.length, "key")}, ${skipped.length} skipped, ${undetermined.length} without attributes`,
    ...notes.map((note) => `note: ${note}`),
    ...keys.flatMap(keyLines),
    ...setLines(
      "roles",
      roles.map(({ role, keys: held, ...uses }) => [`${role} of ${plural(held, "key")}`, uses]),
    ),
    ...setLines(
      "rules",
      rules.map(({ rule, ...uses }) => [rule, uses]),
    ),
    ...reasonsOf(skipped),
    "",
  ]
    .map(printable)
    .join("\n");
}

/** The roles or rules of the set: those with uses, and the others. */
function setLines(title: string, all: readonly (readonly [name: string, uses: UseCounts])[]): readonly string[] {
  const [used, unused] = [all.filter(([, { uses }]) => uses > 0), all.filter(([, { uses }]) => uses === 0)];
  return [
    ...(used.length === 0
      ? []
      : [`${title} that allowed:`, ...used.map(([name, uses]) => `  ${name} (${usesText(uses)})`)]),
    ...(unused.length === 0 ? [] : [`${title} that allowed nothing:`, ...unused.map(([name]) => `  ${name}`)]),
  ];
}

function keyLines(key: TightenedKey): readonly string[] {
  const { allowed, allowedBelow, refused, from, to, roles, neededRoles, roleUses, permissions, doubts } = key;
  const below = allowedBelow === 0 ? "" : ` (${allowedBelow} of keys below it)`;
  const time = from === undefined ? "" : `, from ${from} to ${to}`;
  return [
    `${key.key}${key.scope === undefined ? "" : ` in ${key.scope}`}: ${allowed} allowed${below}, ${refused} refused${time}`,
    ...(hasOtherRoles(key) ? [`  roles: ${roles.join(", ")} -> ${neededRoles.join(", ")}`] : []),
    ...roleUses.map((one) => `  ${one.isNeeded ? "keep" : "drop"} role ${one.role} (${usesText(one)})`),
    ...permissions.map((one) => `  ${one.isNeeded ? "keep" : "drop"} ${one.permission} (${usesText(one)})`),
    ...countsOf(key).map((text) => `  ${text}`),
    ...doubts.map((doubt) => `  not proved: ${doubt}`),
  ];
}

function hasOtherRoles({ roles, neededRoles }: TightenedKey): boolean {
  return JSON.stringify(roles) !== JSON.stringify(neededRoles);
}

function countsOf({ lostBefore, unreproduced }: TightenedKey): readonly string[] {
  return [
    ...(lostBefore === 0 ? [] : [`${lostBefore} allowed before the key lost power`]),
    ...(unreproduced === 0 ? [] : [`${unreproduced} not allowed by these policies`]),
  ];
}

function usesText({ uses, first, last }: UseCounts): string {
  if (uses === 0) return "unused";
  const time = first === undefined ? "" : `, first ${first}, last ${last}`;
  return `${plural(uses, "use")}${time}`;
}

const COLUMNS = ["key", "scope", "item", "list", "value", "needed", "instead", "uses", "first", "last", "proved"];

/**
 * A row for each role and permission of each key, then one for each role and rule of the set, without a key. `instead`:
 * the lower roles.
 */
export function tightenCsv({ keys, roles, rules }: TightenReport): string {
  const ofSet = (item: string, value: string, { uses, first = "", last = "" }: UseCounts) => [
    ...["", "", item, "", value, "", "", String(uses), first, last, ""],
  ];
  const rows = [
    ...keys.flatMap(rowsOf),
    ...roles.map(({ role, ...uses }) => ofSet("role", role, uses)),
    ...rules.map(({ rule, ...uses }) => ofSet("rule", rule, uses)),
  ];
  return [COLUMNS, ...rows].map(csvRow).join("");
}

function rowsOf(key: TightenedKey): readonly (readonly string[])[] {
  const { scope = "", roles, neededRoles, roleUses, permissions, isProved } = key;
  const yes = (is: boolean) => (is ? "yes" : "no");
  const proved = yes(isProved);
  const lower = neededRoles.filter((one) => !roles.includes(one)).join(" ");
  return [
    ...roleUses.map(({ role, isNeeded, uses, first = "", last = "" }) => [
      ...[key.key, scope, "role", "roles", role, yes(isNeeded), isNeeded ? "" : lower],
      ...[String(uses), first, last, proved],
    ]),
    ...permissions.map(({ list, permission, isNeeded, uses, first = "", last = "" }) => [
      ...[key.key, scope, "permission", list, permission, yes(isNeeded), ""],
      ...[String(uses), first, last, proved],
    ]),
  ];
}
