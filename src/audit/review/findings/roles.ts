/**
 * Roles that nobody has. Which roles there are is not written in policies, so it has to be said (`roles`). Where it is
 * not, a role that one rule alone mentions and that is spelt almost like another is probably a misspelling of it.
 */

import { didYouMean } from "../../../policy/distance.js";
import type { Position } from "../../../policy/issue.js";
import type { AnyPolicy } from "../rules.js";
import type { Finding } from "../types.js";

const ANY = "*";

export interface Mention extends Position {
  readonly role: string;
}

/** Every role that policies mention, where they do. */
export function mentionsOf(policies: readonly AnyPolicy[]): readonly Mention[] {
  return policies
    .flatMap((policy) => {
      if (policy.kind === "principal") return [];
      if (policy.kind === "role") {
        return [policy.role, ...policy.parentRoles].map((role) => ({ ...policy.at, role }));
      }
      const ofRules = policy.rules.flatMap((rule) =>
        rule.roles.map((role, i) => ({ ...(rule.rolePositions[i] ?? rule.at), role })),
      );
      const ofDerived = [...policy.derivedRoles.values()].flatMap(({ parentRoles, at }) =>
        parentRoles.map((role) => ({ ...at, role })),
      );
      return [...ofRules, ...ofDerived];
    })
    .filter(({ role }) => role !== ANY);
}

/** `known`: the roles that there are, if that was said. */
export function roleFindings(mentions: readonly Mention[], known: ReadonlySet<string> | undefined): readonly Finding[] {
  return known === undefined ? misspelt(mentions) : unknownRoles(mentions, known);
}

function unknownRoles(mentions: readonly Mention[], known: ReadonlySet<string>): readonly Finding[] {
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

function unknown({ role, ...at }: Mention, known: Iterable<string>): Finding {
  const hint = didYouMean(role, known);
  const message = `nobody has the role ${role}${hint === undefined ? "" : `: ${hint}`}`;
  return { code: "unknown_role", severity: "warning", message, ...at };
}

function misspelt(mentions: readonly Mention[]): readonly Finding[] {
  const counts = new Map<string, number>();
  for (const { role } of mentions) counts.set(role, (counts.get(role) ?? 0) + 1);
  const common = [...counts].filter(([, count]) => count > 1).map(([role]) => role);
  return mentions
    .filter(({ role }) => counts.get(role) === 1)
    .flatMap(({ role, ...at }): readonly Finding[] => {
      const near = common.filter((other) => Math.abs(other.length - role.length) <= 1);
      const hint = role.length < 4 ? undefined : didYouMean(role, near);
      if (hint === undefined) return [];
      const message = `only this rule mentions the role ${role}: ${hint}`;
      return [{ code: "unknown_role", severity: "warning", message, ...at }];
    });
}
