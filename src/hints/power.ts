/**
 * Orders permissions and roles by their power: the requests that they allow. The order is proved from the rules: one item
 * is below another if each of its grants is a grant of the other, under no more conditions.
 */

import { ANY_ROLE } from "../engine/plan/plan.js";
import { compileGlob } from "../policy/glob.js";
import type { BranchPart } from "./branches.js";
import type { GrantRule } from "./grant-rules.js";
import type { TextForm, TextForms } from "./text-form.js";

/** A permission or a role, as a symbol: the values of the request in it are unknown. */
export interface PowerItem {
  /** `roles`, or the name of the list that the text is for. */
  readonly list: string;
  /** For a role of a rule: its name. For a text of a list: its form. */
  readonly role: string | undefined;
  readonly form: TextForm;
}

/** A grant in which an item takes part: an action of a policy, and the conditions that remain. */
interface Grant {
  readonly policy: string;
  readonly actions: readonly string[];
  readonly needs: ReadonlySet<string>;
  /** The key needs one of these roles; undefined: any. */
  readonly roles: readonly string[] | undefined;
}

export class PowerOrder {
  private readonly rules: readonly GrantRule[];
  /** The roles that role policies restrict: their grants are not compared. */
  private readonly restricted: ReadonlySet<string>;
  private readonly forms: TextForms;
  private readonly known = new Map<string, readonly Grant[]>();
  /** The grants of each rule without any item. */
  private readonly always: readonly Grant[];

  constructor(rules: readonly GrantRule[], restricted: ReadonlySet<string>, forms: TextForms) {
    this.rules = rules;
    this.restricted = restricted;
    this.forms = forms;
    this.always = rules.flatMap((rule) =>
      rule.effect === "allow" ? rule.branches.map((branch) => grantOf(rule, branch)) : [],
    );
  }

  /** Whether all that the items of `lower` allow is proved to be allowed by those of `upper`. */
  isBelow(lower: readonly PowerItem[], upper: readonly PowerItem[]): boolean {
    return lower.every((item) => upper.some((other) => this.isItemBelow(item, other)));
  }

  private isItemBelow(lower: PowerItem, upper: PowerItem): boolean {
    if (keyOf(lower) === keyOf(upper)) return true;
    const above = this.grants(upper);
    return this.grants(lower).every((grant) => isCovered(grant, above));
  }

  private grants(item: PowerItem): readonly Grant[] {
    const key = keyOf(item);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    // An item does not take part in a grant that other rules make without it.
    const made = [...this.asText(item), ...this.asRole(item)].filter((grant) => !isCovered(grant, this.always));
    this.known.set(key, made);
    return made;
  }

  private asText(item: PowerItem): readonly Grant[] {
    return this.rules.flatMap((rule) =>
      rule.branches.flatMap((branch) => {
        const fits = branch.map((part) => ({ part, needs: this.fits(item, part) }));
        // The text may satisfy several parts of a branch.
        const left = fits.filter(({ needs }) => !needs.includes(""));
        const open = left.map(({ part }) => part);
        const isPart = left.length < fits.length;
        return [
          ...(isPart ? [grantOf(rule, open)] : []),
          ...left.flatMap(({ part, needs }) =>
            needs.map((need) =>
              grantOf(
                rule,
                open.filter((one) => one !== part),
                [need],
              ),
            ),
          ),
        ];
      }),
    );
  }

  /** The further needs under which a text satisfies a search: none, or that the text is the one that it is. */
  private fits({ list, form }: PowerItem, { search, text }: BranchPart): readonly string[] {
    if (search === undefined || search.list.name !== list) return [];
    const isAlone = !search.needsAll || search.texts.length === 1;
    const found = search.texts.flatMap((sought) => {
      const other = this.forms.of(sought, search.definitions);
      const isFixed = other.pieces.length === 1;
      if (isFixed) return other.key === form.key ? [isAlone ? "" : `rest of ${text}`] : [];
      return mayFit(form, other.pieces) ? [`${other.key} is ${form.key}`] : [];
    });
    return found.includes("") ? [""] : found;
  }

  private asRole({ role }: PowerItem): readonly Grant[] {
    if (role === undefined) return [];
    const limits = this.restricted.has(role) ? [`limits of ${role}`] : [];
    const grants = this.rules.flatMap((rule) =>
      rule.effect === "allow" && isFor(rule, role) && !isForAll(rule)
        ? rule.branches.map((branch) => grantOf({ ...rule, roles: [] }, branch, limits))
        : [],
    );
    const denied = this.rules.filter((rule) => rule.effect === "deny" && isFor(rule, role) && !isForAll(rule));
    return grants.map((grant) => ({
      ...grant,
      needs: new Set([...grant.needs, ...denied.filter(({ policy }) => policy === grant.policy).map(denialText)]),
    }));
  }
}

function keyOf({ list, role, form }: PowerItem): string {
  return JSON.stringify([list, role, form.key]);
}

function mayFit({ pieces }: TextForm, pattern: readonly string[]): boolean {
  const [first = ""] = pieces;
  const last = pieces.at(-1) ?? "";
  const [start = ""] = pattern;
  const end = pattern.at(-1) ?? "";
  if (pieces.length > 1) return isEither(first, start) && isEither(last.split("").reverse(), end.split("").reverse());
  return first.startsWith(start) && first.endsWith(end) && first.length >= start.length + end.length;
}

/** Whether one is the beginning of the other. */
function isEither(one: string | readonly string[], other: string | readonly string[]): boolean {
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i++) if (one[i] !== other[i]) return false;
  return true;
}

/** Whether each action of a grant is also granted by one of others, under no more conditions. */
function isCovered({ policy, actions, needs, roles }: Grant, others: readonly Grant[]): boolean {
  return actions.every((action) =>
    others.some(
      (other) =>
        other.policy === policy &&
        (other.actions.includes(action) || other.actions.includes(ANY_ROLE)) &&
        (other.roles === undefined || roles?.every((role) => other.roles?.includes(role)) === true) &&
        [...other.needs].every((need) => needs.has(need)),
    ),
  );
}

function grantOf(rule: GrantRule, branch: readonly BranchPart[], more: readonly string[] = []): Grant {
  const denial = rule.effect === "deny" ? [denialText(rule)] : [];
  const needs = new Set([...branch.map(({ text }) => text), ...denial, ...more]);
  const roles = isForAll(rule) || rule.roles.length === 0 ? undefined : rule.roles;
  return { policy: rule.policy, actions: rule.actions, needs, roles };
}

function denialText({ policy, actions, branches }: GrantRule): string {
  return `denial ${JSON.stringify([policy, actions, branches.map((branch) => branch.map(({ text }) => text))])}`;
}

function isForAll({ roles }: GrantRule): boolean {
  return roles.includes(ANY_ROLE);
}

function isFor({ roles }: GrantRule, role: string): boolean {
  return roles.some((one) => one === role || (one.includes(ANY_ROLE) && compileGlob(one)?.(role) === true));
}
