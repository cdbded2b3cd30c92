/**
 * Finds the least power under which every recorded use of a key is kept. It never adds a permission. It reads a log three
 * times:
 *
 * 1. It takes the power of each key today from the latest entries.
 * 2. It finds the needs of the uses: with all roles of the key, with some of them, and with each lower role.
 * 3. It replays each use with the power that was found, and counts the uses of permissions.
 *
 * The power found is also proved to be a part of the present one, by `covers`.
 */

import { vocabularyOf } from "../../audit/types/vocabulary.js";
import { covers } from "../../decisions/covers.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { CheckEngine } from "../../engine/evaluate/check-engine.js";
import { namesReadIn } from "../../engine/evaluate/names-read.js";
import type { KeyList } from "../../hints/list-search.js";
import { allPolicies } from "../../policy/all-policies.js";
import { expressionsOf } from "../../policy/policy-expressions.js";
import type { LogEntry } from "../log-entry.js";
import { KeyTightening, type TightenedKey } from "./key-tightening.js";
import { type KeyPower, permissionLists } from "./power.js";
import { type UsedRole, usedRoles } from "./role-uses.js";
import { RuleUses, type UsedRule } from "./rule-uses.js";
import { KeyToday, nameOfKey } from "./seen-keys.js";
import { UseReader } from "./uses.js";

export interface TighteningResult {
  /** By id. */
  readonly keys: readonly TightenedKey[];
  /** The roles of the policies and of the keys, by name. */
  readonly roles: readonly UsedRole[];
  /** The rules that allow, in the order of files. */
  readonly rules: readonly UsedRule[];
}

type Entry = Exclude<LogEntry, { kind: "skipped" }>;

export class Tightening {
  private readonly policies: PolicySet;
  private readonly lists: readonly KeyList[];
  private readonly reader: UseReader;
  private readonly names: readonly string[];
  private readonly roles: readonly string[];
  private readonly keys = new Map<string, KeyToday>();
  private readonly tightened = new Map<string, KeyTightening>();
  private readonly rules: RuleUses;

  /** `isComplete`: the log has every attribute of its requests. */
  constructor(engine: CheckEngine, policies: PolicySet, isComplete: boolean) {
    this.policies = policies;
    this.lists = permissionLists(policies);
    this.reader = new UseReader(engine, policies, this.lists, isComplete);
    this.names = keyAttributes(policies);
    this.roles = vocabularyOf(policies).roles.names;
    this.rules = new RuleUses(policies);
  }

  /** The first reading. False: the entry is a decision record without attributes. */
  see(entry: Entry): boolean {
    const uses = this.reader.usesIn(entry);
    for (const { key, isBelow, question } of uses ?? []) {
      const name = nameOfKey(key);
      const today = this.keys.get(name) ?? new KeyToday(key);
      this.keys.set(name, today);
      today.see(key, entry.time, this.names);
      if (question !== undefined) today.allowed += 1;
      else if (!isBelow) today.refused += 1;
      if (question !== undefined && isBelow) today.allowedBelow += 1;
    }
    return uses !== undefined;
  }

  /** The second reading. */
  collect(entry: Entry): void {
    for (const { key, question } of this.reader.usesIn(entry) ?? []) {
      if (question !== undefined) this.tightening(nameOfKey(key))?.add(question);
    }
  }

  /** The third reading. */
  verify(entry: Entry): void {
    // A rule that allows a key and a key above it has one use.
    let told = new Set<string>();
    for (const { key, isBelow, question, rules } of this.reader.usesIn(entry) ?? []) {
      if (question === undefined) continue;
      if (!isBelow) told = new Set();
      const fresh = rules().filter((rule) => !told.has(rule));
      for (const rule of fresh) told.add(rule);
      this.rules.add(fresh, entry.time);
      this.tightening(nameOfKey(key))?.verify(question, entry.time);
    }
  }

  result(): TighteningResult {
    const keys = [...this.keys.keys()].sort().flatMap((name) => this.tightening(name)?.result() ?? []);
    return { keys, roles: usedRoles(this.roles, keys), rules: this.rules.all() };
  }

  private tightening(name: string): KeyTightening | undefined {
    const known = this.tightened.get(name);
    const today = this.keys.get(name);
    if (known !== undefined || today === undefined) return known;
    const power = today.power(this.lists);
    const covered = (more: KeyPower, less: KeyPower) => this.coverage(today, more, less);
    const made = new KeyTightening(today, power, this.roles, covered);
    this.tightened.set(name, made);
    return made;
  }

  /** Does one power of a key cover another one? Undefined: it is not known. */
  private coverage(today: KeyToday, more: KeyPower, less: KeyPower): boolean | undefined {
    const keyOf = (power: KeyPower) => today.keyWith(power, this.lists);
    const { policies } = this;
    if (!["", policies.permission.version].includes(today.policyVersion)) return undefined;
    const found = covers(policies, { maker: keyOf(more), holder: keyOf(less) });
    return found.covered ? true : found.undecided ? undefined : false;
  }
}

/** The attributes of keys that policies read; `*` for all. */
function keyAttributes({ model, platform }: PolicySet): readonly string[] {
  const names = allPolicies(model)
    .filter(({ version }) => version !== platform?.version)
    .flatMap((policy) => expressionsOf(policy).map(({ expr }) => namesReadIn(expr).principal ?? [ALL_ATTRIBUTES]));
  return [...new Set(names.flat())].sort();
}

const ALL_ATTRIBUTES = "*";
