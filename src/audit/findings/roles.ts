/**
 * Roles that nobody has. Policies do not list the existing roles, so the caller has to (`roles`). Without that list, a
 * role mentioned once and spelled almost like another one is reported as a probable misspelling.
 */

import { didYouMean } from "../../policy/distance.js";
import type { Finding } from "./finding.js";
import type { RoleMention } from "./mentions.js";
import { misspellings } from "./misspellings.js";

const ANY = "*";

/** `known`: the existing roles, if the caller listed them. */
export function roleFindings(
  mentions: readonly RoleMention[],
  known: ReadonlySet<string> | undefined,
): readonly Finding[] {
  return known === undefined ? misspelt(mentions) : unknownRoles(mentions, known);
}

function unknownRoles(mentions: readonly RoleMention[], known: ReadonlySet<string>): readonly Finding[] {
  const mentioned = new Set(mentions.map(({ role }) => role));
  const unused = [...known].filter((role) => !mentioned.has(role) && role !== ANY);
  return [
    ...mentions.filter(({ role }) => !known.has(role)).map((mention) => unknown(mention, known)),
    ...unused.map((role): Finding => {
      const message = `no rule mentions the role ${role}, so it may do only what rules for every role allow`;
      return { code: "unused_role", severity: "note", message, file: "", line: 1, column: 1 };
    }),
  ];
}

function unknown({ role, ...at }: RoleMention, known: Iterable<string>): Finding {
  const hint = didYouMean(role, known);
  const message = `nobody has the role ${role}`;
  return { code: "unknown_role", severity: "warning", message, ...(hint === undefined ? {} : { hint }), ...at };
}

function misspelt(mentions: readonly RoleMention[]): readonly Finding[] {
  return misspellings(mentions.map((mention) => ({ ...mention, name: mention.role }))).map(
    ([{ role, file, line, column }, meant]): Finding => {
      const message = `only one place mentions the role ${role}`;
      const hint = `did you mean ${JSON.stringify(meant)}?`;
      return { code: "unknown_role", severity: "warning", message, hint, file, line, column };
    },
  );
}
