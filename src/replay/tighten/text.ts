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

export function tightenText({ log, keys, rules }: TightenReport): string {
  const { lines, from, to, skipped, undetermined, notes } = log;
  const time = from === undefined ? "" : ` from ${from} to ${to}`;
  const unused = rules.filter(({ uses }) => uses === 0);
  return [
    `${plural(lines, "line")}${time}: ${plural(keys.length, "key")}, ${skipped.length} skipped, ${undetermined.length} without attributes`,
    ...notes.map((note) => `note: ${note}`),
    ...keys.flatMap(keyLines),
    ...(unused.length === 0 ? [] : ["rules that allowed nothing:", ...unused.map(({ rule }) => `  ${rule}`)]),
    ...reasonsOf(skipped),
    "",
  ]
    .map(printable)
    .join("\n");
}

function keyLines(key: TightenedKey): readonly string[] {
  const { allowed, refused, from, to, roles, neededRoles, permissions, doubts } = key;
  const time = from === undefined ? "" : `, from ${from} to ${to}`;
  return [
    `${key.key}${key.scope === undefined ? "" : ` in ${key.scope}`}: ${allowed} allowed, ${refused} refused${time}`,
    ...(hasOtherRoles(key) ? [`  roles: ${roles.join(", ")} -> ${neededRoles.join(", ")}`] : []),
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

/** A row for each role and permission of each key. `instead`: the lower roles. */
export function tightenCsv({ keys }: TightenReport): string {
  return [COLUMNS, ...keys.flatMap(rowsOf)].map(csvRow).join("");
}

function rowsOf(key: TightenedKey): readonly (readonly string[])[] {
  const { scope = "", roles, neededRoles, permissions, isProved } = key;
  const yes = (is: boolean) => (is ? "yes" : "no");
  const proved = yes(isProved);
  return [
    ...roles.map((role) => {
      const isNeeded = neededRoles.includes(role);
      const instead = isNeeded ? "" : neededRoles.filter((one) => !roles.includes(one)).join(" ");
      return [key.key, scope, "role", "roles", role, yes(isNeeded), instead, "", "", "", proved];
    }),
    ...permissions.map(({ list, permission, isNeeded, uses, first = "", last = "" }) => [
      ...[key.key, scope, "permission", list, permission, yes(isNeeded), ""],
      ...[String(uses), first, last, proved],
    ]),
  ];
}
