/** Mutations of a document's content: types, names and positions of its values. */

import { parse, stringify } from "yaml";
import type { Json } from "../differential/json.js";
import type { Random } from "../differential/random.js";
import type { TextMutation } from "./texts.js";

/** A value in a document. `replace` puts another value in its place; `undefined` removes it. */
export interface Slot {
  /** The key of the value; for an element, the key of its list. */
  readonly key: string;
  readonly value: Json;
  replace(by: Json | undefined): void;
}

const OTHERS: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e300,
  2 ** 63,
  "",
  " ",
  "*",
  "default",
  "EFFECT_ALLOW",
  "effect_deny",
  "a.b.c",
  "acme.",
  ".acme",
  "cerbos:///x.json",
  "true",
  "__proto__",
  "constructor",
  [],
  [null],
  ["a", "a"],
  [["a"]],
  {},
  { a: 1 },
  { expr: "true" },
  { match: { expr: "true" } },
];

/** Field names, valid and invalid ones. */
const FIELDS = [
  "rules",
  "actions",
  "effect",
  "roles",
  "derivedRoles",
  "derived_roles",
  "importDerivedRoles",
  "condition",
  "match",
  "expr",
  "all",
  "any",
  "none",
  "of",
  "script",
  "output",
  "when",
  "name",
  "scope",
  "version",
  "variables",
  "constants",
  "local",
  "import",
  "definitions",
  "schemas",
  "ref",
  "ignoreWhen",
  "resource",
  "principal",
  "scopePermissions",
  "parentRoles",
  "disabled",
  "metadata",
  "$ref",
  "$id",
  "type",
  "properties",
  "__proto__",
  "toString",
  "Effect",
  "x",
];

export const VALUE_MUTATIONS: { readonly [name: string]: TextMutation } = {
  "type changed": inDocument((random, slots) => random.pick(slots).replace(random.pick(OTHERS))),
  "resembling type": inDocument((random, slots) => {
    const slot = random.pick(slots);
    slot.replace(random.pick(resembling(slot.value)));
  }),
  "value deleted": inDocument((random, slots) => random.pick(slots).replace(undefined)),
  "values swapped": inDocument((random, slots) => {
    const [one, other] = random.some(slots, 2, 2);
    if (one === undefined || other === undefined) return;
    const [a, b] = [structuredClone(one.value), structuredClone(other.value)];
    one.replace(b);
    other.replace(a);
  }),
  "value copied": inDocument((random, slots) => {
    random.pick(slots).replace(structuredClone(random.pick(slots).value));
  }),
  "field renamed": inDocument((random, slots) => {
    const maps = slots.filter(({ value }) => isMap(value) && Object.keys(value).length > 0);
    if (maps.length === 0) return;
    const slot = random.pick(maps);
    const entries = Object.entries(slot.value as { [key: string]: Json });
    const at = random.int(0, entries.length - 1);
    const [key = "", value = null] = entries[at] ?? [];
    const typo = key.slice(0, -1) || "y";
    entries[at] = [random.pick([random.pick(FIELDS), typo, key.toUpperCase()]), value];
    slot.replace(Object.fromEntries(entries));
  }),
  "field added": inDocument((random, slots) => {
    const maps = slots.filter(({ value }) => isMap(value));
    if (maps.length === 0) return;
    const slot = random.pick(maps);
    slot.replace({ ...(slot.value as { [key: string]: Json }), [random.pick(FIELDS)]: random.pick(OTHERS) });
  }),
  "name changed": inDocument((random, slots) => {
    const texts = slots.filter(({ value }) => typeof value === "string");
    if (texts.length === 0) return;
    const slot = random.pick(texts);
    const value = String(slot.value);
    const ends = [
      `${value}!`,
      `${value}*`,
      `${value} `,
      value.toUpperCase(),
      `${value}.x`,
      value.slice(1),
      `[${value}]`,
    ];
    slot.replace(random.pick(ends));
  }),
  "list repeated": inDocument((random, slots) => {
    const lists = slots.filter(({ value }) => Array.isArray(value) && value.length > 0);
    if (lists.length === 0) return;
    const slot = random.pick(lists);
    const items = slot.value as Json[];
    slot.replace(Array.from({ length: random.pick([2, 20, 400]) }, () => items).flat());
  }),
};

function resembling(value: Json): readonly Json[] {
  if (typeof value === "string") return [[value], { [value]: value }, Number(value) || 1, value.length > 3, null];
  if (Array.isArray(value)) return [value[0] ?? null, { ...value } as Json, [value], JSON.stringify(value)];
  if (isMap(value)) return [Object.values(value), [value], Object.keys(value), JSON.stringify(value)];
  return [String(value), [value], { value }];
}

export function isMap(value: Json): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The size limit in characters: larger documents, made by earlier mutations, take too long to parse. */
const MAX_DOCUMENT = 300_000;

/** Deep nesting made by an earlier mutation: with indentation, its text grows with the square of the depth. */
const DEEP = /(?:\[|\{"a":|\(|\{all: \{of: \[){1000}/;

/** Applies `change` to the document in a text. A text that is not a document is returned unchanged. JSON stays JSON. */
export function inDocument(change: (random: Random, slots: readonly Slot[]) => void): TextMutation {
  return (random, text) => {
    if (text.length > MAX_DOCUMENT || DEEP.test(text)) return text;
    try {
      return changedDocument(random, text, change);
    } catch {
      // The text is not a document, or it is nested too deep to traverse.
      return text;
    }
  };
}

function changedDocument(
  random: Random,
  text: string,
  change: (random: Random, slots: readonly Slot[]) => void,
): string {
  let root = parse(text, { logLevel: "silent" }) as Json;
  const slots: Slot[] = [];
  const walk = (value: Json, key: string, replace: Slot["replace"]): void => {
    slots.push({ key, value, replace });
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) {
        walk(item, key, (by) => {
          if (by === undefined) value.splice(i, 1);
          else value[i] = by;
        });
      }
    } else if (isMap(value)) {
      for (const [name, item] of Object.entries(value)) {
        walk(item, name, (by) => {
          if (by === undefined) delete value[name];
          else value[name] = by;
        });
      }
    }
  };
  walk(root, "", (by) => {
    root = by ?? null;
  });
  change(random, slots);
  const json = text.trimStart().startsWith("{") || random.chance(0.2);
  return json ? JSON.stringify(root, null, random.pick([0, 2])) : stringify(root, { aliasDuplicateObjects: false });
}
