/** The least power of one key. */

import { Needs } from "./needs.js";
import { itemsOf, type KeyPower, nameOfItem, onlyItems, type PowerItem, ROLE_LIST, without } from "./power.js";
import { RecordedUse, type UseQuestion } from "./recorded-use.js";
import type { KeyToday } from "./seen-keys.js";
import { UseCount, type UseCounts } from "./use-count.js";

/** A permission of a key, and its uses: those that are lost without it, or kept by it alone. */
export interface TightenedPermission extends UseCounts {
  /** The list of the key, such as `attr.permissions`. */
  readonly list: string;
  readonly permission: string;
  readonly isNeeded: boolean;
}

/** A role of a key, and its uses: those that are lost without it, or kept by it without any permission. */
export interface TightenedRole extends UseCounts {
  readonly role: string;
  readonly isNeeded: boolean;
}

export interface TightenedKey {
  readonly key: string;
  /** Absent: the root. */
  readonly scope?: string;
  /** Absent: the default version. */
  readonly policyVersion?: string;
  /** The time of its first and last entry; undefined: no entry has a time. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Allowed actions, and refused ones. */
  readonly allowed: number;
  /** Of the allowed: those of keys below it, which need its power, too. */
  readonly allowedBelow: number;
  readonly refused: number;
  /** Of the allowed: those that the present power of the key does not have, so that nothing can keep them. */
  readonly lostBefore: number;
  /** Of the allowed: those that the policies do not allow as recorded. */
  readonly unreproduced: number;
  /** Of the allowed: those that depend on attributes that the log lacks. The result keeps all that they may need. */
  readonly undetermined: number;
  readonly roles: readonly string[];
  readonly neededRoles: readonly string[];
  /** The present roles. */
  readonly roleUses: readonly TightenedRole[];
  readonly permissions: readonly TightenedPermission[];
  /** True if each use is kept, and the power found is proved to be a part of the present one. */
  readonly isProved: boolean;
  /** Why it is not proved. */
  readonly doubts: readonly string[];
}

/** Does one power of the key cover another one? Undefined: it is not known. */
type Covers = (more: KeyPower, less: KeyPower) => boolean | undefined;

/** The powers that each use is tried with. */
interface Trials {
  readonly least: KeyPower;
  /** The roles alone. */
  readonly bare: KeyPower;
  /** For each permission: the power with no other one, and the least power without it, if it has it. */
  readonly items: readonly {
    readonly alone: KeyPower;
    readonly less: KeyPower | undefined;
    readonly count: UseCount;
  }[];
  /** For each role: the power with no permission and no other role, and the least power without it, if it has it. */
  readonly roles: Trials["items"];
}

/** Of a key with more roles, single roles and all but one are tried. */
const MAX_SUBSETS = 4;

export class KeyTightening {
  private readonly today: KeyToday;
  private readonly power: KeyPower;
  private readonly covers: Covers;
  /** The needs of the uses, for each choice of roles that keeps them so far. The first is that of all roles. */
  private candidates: readonly Needs[];
  private least: KeyPower | undefined = undefined;
  private tried: Trials | undefined = undefined;
  /** By the names of permissions. */
  private readonly counts: ReadonlyMap<string, { readonly item: PowerItem; readonly count: UseCount }>;
  private readonly roleCounts: ReadonlyMap<string, UseCount>;
  private readonly states = { allowed: 0, "lost before": 0, unreproduced: 0, undetermined: 0 };
  private lost = 0;

  /** `roles`: those that policies name. */
  constructor(today: KeyToday, power: KeyPower, roles: readonly string[], covers: Covers) {
    this.today = today;
    this.power = power;
    this.covers = covers;
    const others = choicesOfRoles(power.roles, roles).map((chosen) => ({ ...power, roles: chosen }));
    this.candidates = [power, ...others.filter((other) => covers(power, other) === true)].map((one) => new Needs(one));
    this.counts = new Map(permissionsOf(power).map((item) => [nameOfItem(item), { item, count: new UseCount() }]));
    this.roleCounts = new Map(power.roles.map((role) => [role, new UseCount()]));
  }

  add(question: UseQuestion): void {
    const use = new RecordedUse(question, this.power);
    this.states[use.state] += 1;
    this.candidates = this.candidates.filter((candidate) => candidate.add(use));
  }

  /** After all uses are added. */
  verify(question: UseQuestion, time: string | undefined): void {
    const { least, bare, items, roles } = this.trials();
    const use = new RecordedUse(question, this.power);
    if (!use.isKeptBy(least)) this.lost += 1;
    if (use.state !== "allowed") return;
    countUses(use, roles, time);
    if (!use.isKeptBy(bare)) countUses(use, items, time);
  }

  private trials(): Trials {
    if (this.tried !== undefined) return this.tried;
    const least = this.found();
    const kept = new Set(itemsOf(least).map(nameOfItem));
    const holder = { ...this.power, roles: least.roles };
    const less = (item: PowerItem) => (kept.has(nameOfItem(item)) ? without(least, item) : undefined);
    const isRole = ({ list }: PowerItem) => list === ROLE_LIST;
    const items = [...this.counts].map(([name, { item, count }]) => ({
      ...{ alone: onlyItems(holder, (one) => isRole(one) || nameOfItem(one) === name), less: less(item), count },
    }));
    const roles = [...this.roleCounts].map(([role, count]) => ({
      ...{ alone: onlyItems(this.power, (one) => isRole(one) && one.text === role), count },
      less: less({ list: ROLE_LIST, text: role }),
    }));
    this.tried = { least, bare: onlyItems(least, isRole), items, roles };
    return this.tried;
  }

  result(): TightenedKey {
    const { today, power, states } = this;
    const found = this.found();
    // A condition may deny for lack of a permission, or allow for it: then nothing is dropped.
    const isSound = this.lost === 0 && (isSame(found, power) || this.covers(power, found) !== false);
    const least = isSound ? found : power;
    const { id, scope, policyVersion, span, allowed, allowedBelow, refused } = today;
    const kept = new Set(itemsOf(least).map(nameOfItem));
    const doubts = isSound ? this.doubts(least) : ["without some permissions, other actions are allowed or refused"];
    return {
      key: id,
      ...(scope === "" ? {} : { scope }),
      ...(policyVersion === "" ? {} : { policyVersion }),
      ...{ from: span.first, to: span.last, allowed, allowedBelow, refused },
      ...{ lostBefore: states["lost before"], unreproduced: states.unreproduced, undetermined: states.undetermined },
      ...{ roles: power.roles, neededRoles: least.roles },
      roleUses: [...this.roleCounts].map(([role, count]) => {
        return { role, isNeeded: least.roles.includes(role), ...count.counts() };
      }),
      permissions: [...this.counts].map(([name, { item, count }]) => ({
        ...{ list: item.list, permission: item.text, isNeeded: kept.has(name) },
        ...count.counts(),
      })),
      isProved: doubts.length === 0,
      doubts,
    };
  }

  /** The least power of the lowest roles: no other candidate is a proper part of it, or has the same with fewer roles. */
  private found(): KeyPower {
    if (this.least !== undefined) return this.least;
    const [own, ...others] = this.candidates.map((candidate) => candidate.least());
    let least = own ?? this.power;
    for (const other of others) {
      const isSmaller = itemsOf(other).length < itemsOf(least).length;
      if (this.covers(least, other) === true && (isSmaller || this.covers(other, least) === false)) least = other;
    }
    this.least = least;
    return least;
  }

  private doubts(least: KeyPower): readonly string[] {
    const { today, power, states } = this;
    const isUnchanged = isSame(least, power);
    const untold = isUnchanged ? [] : today.untold;
    return [
      ...(states.undetermined === 0
        ? []
        : [`${states.undetermined} allowed actions depend on attributes that the log lacks`]),
      ...(untold.length === 0 ? [] : [`the log does not tell attributes of the key: ${untold.join(", ")}`]),
      ...(isUnchanged || this.covers(power, least) === true
        ? []
        : ["it is not proved to be a part of the present power"]),
    ];
  }
}

function countUses(use: RecordedUse, trials: Trials["items"], time: string | undefined): void {
  for (const { alone, less, count } of trials) {
    // A key must have a role.
    const isLost = less !== undefined && (less.roles.length === 0 || !use.isKeptBy(less));
    if (isLost || use.isKeptBy(alone)) count.add(time);
  }
}

function isSame(a: KeyPower, b: KeyPower): boolean {
  return JSON.stringify(itemsOf(a)) === JSON.stringify(itemsOf(b));
}

function permissionsOf(power: KeyPower): readonly PowerItem[] {
  return itemsOf(power).filter(({ list }) => list !== ROLE_LIST);
}

/** Other choices of roles: some of the own ones, or one that policies name in place of all. */
function choicesOfRoles(own: readonly string[], named: readonly string[]): readonly (readonly string[])[] {
  const some = own.length <= MAX_SUBSETS ? subsetsOf(own) : own.map((role) => own.filter((one) => one !== role));
  const single = [...own, ...named].map((role) => [role]);
  const all = [...some, ...single].filter((roles) => roles.length > 0 && roles.join("\n") !== own.join("\n"));
  return [...new Map(all.map((roles) => [JSON.stringify(roles), roles])).values()];
}

function subsetsOf([role, ...others]: readonly string[]): readonly (readonly string[])[] {
  if (role === undefined) return [[]];
  return subsetsOf(others).flatMap((some) => [some, [role, ...some]]);
}
