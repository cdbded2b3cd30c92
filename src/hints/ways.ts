/**
 * The ways to be allowed an operation, by permissions and roles that a key may lack. They are read from the conditions of
 * the permission layer, once for each question, and ordered by their power.
 */

import type { PolicySet } from "../decisions/policy-set.js";
import type { Layer } from "../engine/evaluate/layer.js";
import { BoundedCache } from "../engine/plan/bounded-cache.js";
import { makePlan } from "../engine/plan/make-plan.js";
import { ANY_ROLE, type Plan, type PlanRow } from "../engine/plan/plan.js";
import { policiesOfVersion } from "../policy/all-policies.js";
import type { Definitions } from "../policy/model.js";
import { sanitise } from "../policy/names.js";
import { type Branch, BranchReader, type BranchSearch, product } from "./branches.js";
import { grantRulesOf, rolesOf } from "./grant-rules.js";
import type { KeyList, SearchedText } from "./list-search.js";
import { permissionSearches } from "./permission-lists.js";
import { type PowerItem, PowerOrder } from "./power.js";
import { type TextForm, TextForms } from "./text-form.js";

/** Texts that a list of the key needs. */
export interface ListNeed {
  readonly list: KeyList;
  /** Whether the list needs all of the texts; otherwise one is enough. */
  readonly needsAll: boolean;
  readonly texts: readonly SearchedText[];
  readonly definitions: Definitions;
}

/** All of it together lets a rule apply, if the rest of the rule's condition holds. */
export interface HintWay {
  /** The role to add, for keys without it. */
  readonly role: string | undefined;
  /** The role that the way is for: only keys that have it. */
  readonly held: string | undefined;
  readonly needs: readonly ListNeed[];
  /** The tests of the resource's attributes that remain, as a text. */
  readonly tests: string;
}

/** The ways for one question. */
export interface QuestionWays {
  /** No way stands before one that allows strictly less, as far as the rules prove it. */
  readonly ways: readonly HintWay[];
  /**
   * Whether all ways leave the same tests of the resource. Then one request shows of which ways the key can make use,
   * without telling anything of the resource but that these tests hold.
   */
  readonly isUniform: boolean;
}

/** The question that a request asks: the names in it that choose rules. */
export interface WayQuestion {
  readonly kind: string;
  readonly operation: string;
  readonly keyId: string;
  readonly keyScope: string;
  readonly resourceScope: string;
}

/** The ways of a question are cached for so many questions. */
const MAX_QUESTIONS = 1_024;
/** More ways of one question are left out: then there may be fewer hints. */
const MAX_WAYS = 256;

/** The ways of a policy set, each question's when it is first asked. */
export class WayTable {
  private readonly layer: Layer;
  private readonly reader: BranchReader;
  private readonly roles: readonly string[];
  private readonly order: PowerOrder;
  private readonly forms: TextForms;
  private readonly open = new BoundedCache<string, QuestionWays>(MAX_QUESTIONS);
  private readonly disclosing = new BoundedCache<string, QuestionWays>(MAX_QUESTIONS);

  constructor({ permission, model }: PolicySet) {
    this.layer = permission;
    const policies = policiesOfVersion(model, permission.version);
    const searched = permissionSearches(policies);
    this.reader = new BranchReader(({ path, name }) => path.length === 0 || searched.has(name));
    this.roles = rolesOf(policies);
    const restricted = new Set(policies.flatMap((policy) => (policy.kind === "role" ? [policy.role] : [])));
    this.forms = new TextForms(permission);
    this.order = new PowerOrder(grantRulesOf(policies, this.reader), restricted, this.forms);
  }

  /** `disclose`: whether texts may be made of attributes of the resource. */
  of(question: WayQuestion, disclose: boolean): QuestionWays {
    const { kind, operation, keyId, keyScope, resourceScope } = question;
    const id = this.layer.isPersonal(keyId) ? keyId : "";
    const key = JSON.stringify([kind, operation, id, keyScope, resourceScope]);
    const cache = disclose ? this.disclosing : this.open;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const place = this.layer.placeOf(keyScope, resourceScope);
    const roles = this.roles.length === 0 ? [""] : this.roles;
    const asked = { kind: sanitise(kind), action: operation, principalId: keyId, roles };
    const made = this.made(makePlan(this.layer.index, place, asked), disclose);
    cache.set(key, made);
    return made;
  }

  private made(plan: Plan, disclose: boolean): QuestionWays {
    const ways = new Map<string, HintWay>();
    for (const { role, rows } of roleRows(plan)) {
      for (const row of rows) {
        if (row.rule.effect !== "allow") continue;
        const needed = row.role === ANY_ROLE ? undefined : role;
        for (const branch of this.branches(row)) {
          for (const way of waysOf(branch, needed, disclose)) {
            if (ways.size < MAX_WAYS) ways.set(this.keyOf(way), way);
          }
        }
      }
    }
    for (const exception of this.exceptions(plan, disclose)) {
      const own = { ...exception, role: undefined, held: undefined };
      for (const way of [own, ...ways.values()]) {
        const both = way === own ? own : { ...way, needs: [...way.needs, ...exception.needs] };
        if (ways.size < MAX_WAYS) ways.set(this.keyOf(both), both);
      }
    }
    const all = [...ways.values()];
    const isUniform = this.isPlain(plan) && new Set(all.map(({ tests }) => tests)).size <= 1;
    return { ways: this.ordered(all), isUniform };
  }

  /** The texts that end a denial: those that its condition looks for in vain. Combined with each way to be allowed. */
  private exceptions(plan: Plan, disclose: boolean): readonly HintWay[] {
    const denials = new Set(plan.rules.filter(({ effect }) => effect === "deny"));
    return [...denials].flatMap((rule) =>
      this.reader.of(rule, false).flatMap((branch) => waysOf(branch, undefined, disclose)),
    );
  }

  private branches({ rule, guard }: PlanRow): readonly Branch[] {
    const own = this.reader.of(rule);
    return guard === undefined ? own : product([own, this.reader.of(guard)]);
  }

  /**
   * Whether only the rules that allow tell ways apart: each denial is for every role and looks at no list of the key, the
   * rules stand at one scope, and nothing else in a condition depends both on a list of the key and on the resource.
   */
  private isPlain(plan: Plan): boolean {
    const steps = plan.roles.flatMap((role) => role.steps.filter(({ rows }) => rows.length > 0));
    if (plan.personal.length > 0 || new Set(steps.map(({ depth }) => depth)).size > 1) return false;
    return steps.every(({ rows, asksParents }) =>
      rows.every((row) => {
        if (row.rule.effect === "deny" && (row.role !== ANY_ROLE || asksParents)) return false;
        const parts = [
          ...this.reader.of(row.rule, row.rule.effect === "allow").flat(),
          ...(row.guard === undefined ? [] : this.reader.of(row.guard).flat()),
        ];
        if (row.rule.effect === "deny") return parts.every(({ readsLists }) => !readsLists);
        return parts.every(
          ({ search, readsLists, readsResource }) => search !== undefined || !readsLists || !readsResource,
        );
      }),
    );
  }

  private ordered(ways: readonly HintWay[]): readonly HintWay[] {
    const left = ways.map((way) => this.ranked(way)).sort(compareRanks);
    const ordered: HintWay[] = [];
    while (left.length > 0) {
      const next = left.findIndex(({ items }) =>
        left.every((other) => !this.order.isBelow(other.items, items) || this.order.isBelow(items, other.items)),
      );
      const [found] = left.splice(Math.max(0, next), 1);
      if (found !== undefined) ordered.push(found.way);
    }
    return ordered;
  }

  private ranked(way: HintWay): Ranked {
    const { role, needs } = way;
    const items = this.textsOf(way).map(({ list, form }): PowerItem => {
      const isRole = list.path.length === 0 && form.pieces.length === 1;
      return { list: list.name, role: isRole ? form.pieces.join("") : undefined, form };
    });
    const isOwn = items.some(({ form }) => form.pieces.length > 1);
    const hasRole = role !== undefined || needs.some(({ list }) => list.path.length === 0);
    const all =
      role === undefined ? items : [...items, { list: "roles", role, form: { pieces: [role], key: `=${role}` } }];
    const names = items.map(({ form }) => form.key).join();
    return { way, items: all, rank: [hasRole ? 1 : 0, all.length, isOwn ? 0 : 1, role ?? "", names] };
  }

  private textsOf({ needs }: HintWay): readonly { readonly list: KeyList; readonly form: TextForm }[] {
    return needs.flatMap(({ list, texts, definitions }) =>
      texts.map((sought) => ({ list, form: this.forms.of(sought, definitions) })),
    );
  }

  private keyOf(way: HintWay): string {
    const forms = this.textsOf(way).map(({ list, form }) => [list.name, form.key]);
    return JSON.stringify([way.role, way.held, forms, way.tests]);
  }
}

function roleRows({ personal, roles }: Plan): readonly { readonly role: string; readonly rows: readonly PlanRow[] }[] {
  return [
    { role: ANY_ROLE, rows: personal.flatMap(({ rows }) => rows) },
    ...roles.map(({ role, steps }) => ({ role, rows: steps.flatMap(({ rows }) => rows) })),
  ];
}

interface Choice {
  readonly needs: readonly ListNeed[];
  readonly tests: readonly string[];
}

/** A way for each choice of one text for each search; a search may also hold by texts that the key has. */
function waysOf(branch: Branch, role: string | undefined, disclose: boolean): readonly HintWay[] {
  const tests = branch.filter(({ search, readsResource }) => search === undefined && readsResource);
  let choices: readonly Choice[] = [{ needs: [], tests: tests.map(({ text }) => text) }];
  for (const { search, text, readsResource } of branch) {
    if (search === undefined) continue;
    const needs = needsOf(search, disclose);
    choices = choices
      .flatMap((choice): readonly Choice[] => [
        ...needs.map((need) => ({ ...choice, needs: [...choice.needs, need] })),
        { ...choice, tests: readsResource ? [...choice.tests, text] : choice.tests },
      ])
      .slice(0, MAX_WAYS);
  }
  return choices.flatMap(({ needs, tests: left }): readonly HintWay[] => {
    const made = { needs, tests: [...new Set(left)].sort().join("\n") };
    return [
      ...(role === undefined ? [] : [{ ...made, role, held: undefined }]),
      ...(needs.length === 0 ? [] : [{ ...made, role: undefined, held: role }]),
    ];
  });
}

function needsOf({ list, needsAll, texts, definitions }: BranchSearch, disclose: boolean): readonly ListNeed[] {
  const open = texts.filter((sought) => disclose || !sought.readsResource);
  const need = { list, needsAll, definitions };
  if (!needsAll) return open.map((sought) => ({ ...need, texts: [sought] }));
  return open.length === texts.length && open.length > 0 ? [{ ...need, texts: open }] : [];
}

/** Where no order is proved: permissions before roles, fewer before more, texts with an id of the request first. */
interface Ranked {
  readonly way: HintWay;
  readonly items: readonly PowerItem[];
  readonly rank: readonly (number | string)[];
}

function compareRanks({ rank: one }: Ranked, { rank: other }: Ranked): number {
  for (const [i, value] of one.entries()) {
    const against = other[i] ?? "";
    if (value !== against) return value < against ? -1 : 1;
  }
  return 0;
}
