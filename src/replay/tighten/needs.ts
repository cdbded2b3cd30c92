/**
 * The permissions that the uses of a key need, for some roles. Uses are added one by one and mostly forgotten: a use needs
 * some permissions for certain, or one of several. So the memory depends on the permissions, not on the log.
 */

import { itemsOf, type KeyPower, nameOfItem, onlyItems, type PowerItem, ROLE_LIST, without } from "./power.js";
import type { RecordedUse } from "./recorded-use.js";

/** Uses that are kept because they need several of the other permissions together. With more, nothing is dropped. */
const MAX_OPEN = 100;

export class Needs {
  /** The power with every permission. */
  readonly power: KeyPower;
  private readonly items: readonly PowerItem[];
  /** The names of the permissions without which some use is lost. */
  private readonly needed = new Set<string>();
  private core: KeyPower;
  /** Uses need one of each of these. */
  private readonly choices = new Map<string, readonly string[]>();
  private readonly open: RecordedUse[] = [];

  constructor(power: KeyPower) {
    this.power = power;
    this.items = itemsOf(power).filter(({ list }) => list !== ROLE_LIST);
    this.core = this.onlyNeeded();
  }

  /** False: not even the whole power keeps the use. */
  add(use: RecordedUse): boolean {
    if (use.isKeptBy(this.core)) return true;
    if (!use.isKeptBy(this.power)) return false;
    for (const item of this.spare()) {
      if (!use.isKeptBy(without(this.power, item))) this.needed.add(nameOfItem(item));
    }
    this.core = this.onlyNeeded();
    if (!use.isKeptBy(this.core)) this.choose(use);
    return true;
  }

  /** A power in which no permission can be left out: permissions for all resources go first. */
  least(): KeyPower {
    let least = this.power;
    for (const item of [...this.spare()].sort(broadestFirst)) {
      const next = without(least, item);
      const has = new Set(itemsOf(next).map(nameOfItem));
      const isEnough = [...this.choices.values()].every((names) => names.some((name) => has.has(name)));
      if (isEnough && this.open.every((use) => use.isKeptBy(next))) least = next;
    }
    return least;
  }

  private spare(): readonly PowerItem[] {
    return this.items.filter((item) => !this.needed.has(nameOfItem(item)));
  }

  private onlyNeeded(): KeyPower {
    return onlyItems(this.power, (item) => item.list === ROLE_LIST || this.needed.has(nameOfItem(item)));
  }

  /** Takes up a use that needs more than is needed so far, in one of several ways. */
  private choose(use: RecordedUse): void {
    const with1 = (item: PowerItem) =>
      onlyItems(this.power, (one) => this.isInCore(one) || nameOfItem(one) === nameOfItem(item));
    const single = this.spare().filter((item) => use.isKeptBy(with1(item)));
    const names = new Set(single.map(nameOfItem));
    const others = onlyItems(this.power, (item) => !names.has(nameOfItem(item)));
    if (names.size > 0 && !use.isKeptBy(others)) this.choices.set(JSON.stringify([...names]), [...names]);
    else if (this.open.length < MAX_OPEN) this.open.push(use);
    else for (const item of this.items) this.needed.add(nameOfItem(item));
  }

  private isInCore(item: PowerItem): boolean {
    return item.list === ROLE_LIST || this.needed.has(nameOfItem(item));
  }
}

/** `api.*.read_key` before `api.api_1.read_key`. */
function broadestFirst(a: PowerItem, b: PowerItem): number {
  const stars = ({ text }: PowerItem) => text.split("*").length;
  return stars(b) - stars(a) || (nameOfItem(a) < nameOfItem(b) ? -1 : 1);
}
