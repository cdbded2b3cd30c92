/**
 * Roles that nobody has. Which roles there are is not written in policies, so it has to be said (`roles`). Where it is
 * not, a role that one place alone mentions and that is spelt almost like another is probably a misspelling of it.
 */

import { didYouMean } from "../../policy/distance.js";
import type { Finding } from "./finding.js";
import type { RoleMention } from "./mentions.js";
import { misspellings } from "./misspellings.js";

const ANY = "*";

/** `known`: the roles that there are, if that was said. */
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
      const message = `no rule mentions the role ${role}: it may do what rules for every role allow`;
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
