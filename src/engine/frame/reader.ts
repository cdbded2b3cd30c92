/**
 * Writes the functions that read a key, an account or a resource into a frame. They read each attribute once and copy
 * lists, by the invariant "read once" of `copies.ts`.
 *
 * The names in the source are short, since source takes memory: `f` is the frame, `m` its attributes, `a0`, … the
 * values, `k` the steps that reading costs, `n` the items of copied lists, `q` the deep copies. `z` is not 0 once a value
 * was unusual. Closures judge a frame with unusual values.
 */

import { isStringList, KIND, MISFIT, type TypeDeclaration } from "../../cel/type-declaration.js";
import { MAX_VALUES } from "../../limits.js";
import type { AttributeOwner } from "../plan/subjects.js";
import { MAX_COUNTED } from "./budget.js";
import { fitsTest } from "./declared.js";
import { UNUSUAL } from "./frame.js";
import { type Js, joined, js, quoted } from "./js.js";
import {
  type AttributeLocals,
  attributesIn,
  type Layout,
  type LayoutSlot,
  type SlotType,
  type TypeCheck,
} from "./layout.js";

/** A reader as source. Its type checks are the parameter `d`. */
export interface ReaderText {
  readonly text: Js;
  /** Functions beside it. */
  readonly outside: readonly Js[];
}

/** Writes one reader, and adds its type checks to `checks`. */
export class ReaderWriter {
  private readonly attributes: AttributeLocals<LayoutSlot> = new Map();
  private readonly subject: AttributeOwner;
  private readonly checks: TypeCheck[];
  private readonly outside: Js[] = [];
  /** One object of each shape of slots, which lives as long as the reader (`cel/keep-alive.ts`). */
  private readonly kept: Js[] = [];
  private readonly byPath = new Map<string, Js>();
  private count = 0;

  constructor(layout: Layout, subject: AttributeOwner, checks: TypeCheck[]) {
    this.subject = subject;
    this.checks = checks;
    for (const slot of layout) {
      const { path } = slot;
      let among = this.attributes;
      for (const name of path.slice(0, -1)) among = among.get(name)?.inside ?? new Map();
      const local = js`a${this.count++}`;
      among.set(path.at(-1) ?? "", { ...slot, local, inside: new Map() });
      this.byPath.set(JSON.stringify(path), local);
    }
  }

  /** A function that sets `values` of a frame: the slots of a layout. */
  forPrincipal(layout: Layout): ReaderText {
    return this.reader(js`f.values = ${this.slots(layout)};`);
  }

  /** A function that sets `first` of a frame, and `second` if there are two layers: the slots of each layer's layout. */
  forResource([first = [], second]: readonly Layout[]): ReaderText {
    const sets = js`f.first = ${this.slots(first)};`;
    return this.reader(second === undefined ? sets : js`${sets}\nf.second = ${this.slots(second)};`);
  }

  private slots(layout: Layout): Js {
    const locals = layout.flatMap(({ path }) => this.byPath.get(JSON.stringify(path)) ?? []);
    const slots = locals.map((local, i) => js`s${i}: ${local}`);
    const kept = js`w${this.kept.length}`;
    const like = locals.map((_, i) => js`s${i}: ""`);
    this.kept.push(kept);
    this.outside.push(js`const ${kept} = { ${joined([js`k: 0`, ...like], ", ")} };`);
    return js`{ ${joined([js`k: z === 0 ? k : ${UNUSUAL}`, ...slots], ", ")} }`;
  }

  private reader(result: Js): ReaderText {
    const all = attributesIn(this.attributes);
    const names = [...new Set(all.flatMap(({ path }) => path))].map((name) => js`${quoted(name)} in O`);
    const isKept = this.kept.map((kept) => js`m === ${kept}`);
    const body = [
      // Nothing is read of them: the reader only has to hold them.
      js`if (${joined(isKept, " || ")}) return;`,
      js`let ${joined([...all.map(({ local }) => local), js`z = 0`, js`k = 0`, js`n = 0`, js`q`], ", ")};`,
      ...(all.length === 0 ? [] : this.map(js`m`, this.attributes, true)),
      ...(names.length === 0 ? [] : [js`if (${joined(names, " || ")}) z = 1;`]),
      result,
    ];
    return { text: js`function (f, m) {\n${joined(body, "\n")}\n}`, outside: this.outside };
  }

  private map(map: Js, all: AttributeLocals<LayoutSlot>, isOutermost: boolean): readonly Js[] {
    const looks = [...all.values()].flatMap((one) => {
      const looked = this.looked(one);
      const inside =
        one.inside.size === 0
          ? []
          : [
              js`if (typeof ${one.local} === "object" && ${one.local} !== null) {\n${joined(this.map(one.local, one.inside, false), "\n")}\n}`,
            ];
      return [...looked, ...inside];
    });
    return [...membersRead(map, all, js`a${this.count++}`, js`z = 1;`, isOutermost), ...looks];
  }

  /** Copies a value, and declines it if it is not as declared. */
  private looked(slot: LayoutSlot & { readonly local: Js }): readonly Js[] {
    const copies = slot.isWhole ? this.copied(slot) : [];
    const types = slot.types.flatMap((type, layer) => (type === undefined ? [] : [{ type, layer }]));
    const [only, ...more] = types;
    if (only === undefined || more.length > 0 || !isScalarType(only.type.declared)) {
      return [...copies, ...types.flatMap(({ type, layer }) => this.checked(slot, type, layer))];
    }
    // Only a value that is not of the declared type can be an object.
    const { declared } = only.type;
    const unfit = [...copies, js`if (${slot.local} !== undefined) z = 1;`];
    return [js`if (!${this.fits(slot, declared, only.layer)}) {\n${joined(unfit, "\n")}\n}`];
  }

  /** Copies objects. Texts and numbers need no copy. Lists that hold too many values together are left to closures. */
  private copied({ local, owned, types }: LayoutSlot & { readonly local: Js }): readonly Js[] {
    const isDeep = owned === "all" || types.some((type) => type?.isWhole === true && isDeepType(type.declared));
    const isObject = js`if (typeof ${local} === "object") `;
    if (isDeep) return [js`${isObject}${local} = W(${local}, q ??= CP());`];
    if (owned === "none") return [];
    if (owned === "elements") {
      return [
        js`if (L(${local})) {\nif ((n += ${local}.length) > ${MAX_VALUES}) z = 1;\nelse ${local} = V(${local});\n}`,
      ];
    }
    const copy = js`g${this.outside.length}`;
    this.outside.push(js`function ${copy}(s, q) {\n${memberCopy(owned)}\n}`);
    return [js`${isObject}${local} = WL(${local}, ${copy}, q ??= CP());`];
  }

  /** Declines a value that is not as declared. An absent attribute need not be. */
  private checked(
    slot: LayoutSlot & { readonly local: Js },
    { declared, isWhole }: SlotType,
    layer: number,
  ): readonly Js[] {
    const { local } = slot;
    if (isWhole && isStringList(declared)) {
      return [
        js`if (${local} !== undefined && (!L(${local}) || (k += ${local}.length + 15 >> 4) > ${MAX_COUNTED} || !X(${local}))) z = 1;`,
      ];
    }
    const itself = js`if (!${this.fits(slot, declared, layer)} && ${local} !== undefined) z = 1;`;
    if (!isWhole || !declared.hasParts) return [itself];
    const cost = js`a${this.count++}`;
    const object = js`typeof ${local} === "object" && ${local} !== null`;
    return [
      itself,
      js`const ${cost} = ${object} ? ${this.check(slot, layer, "cost")}(${local}) : 0;`,
      js`if (${cost} === ${MISFIT} || (k += ${cost}) > ${MAX_COUNTED}) z = 1;`,
    ];
  }

  /** Whether a value fits, nested values apart. */
  private fits(slot: LayoutSlot & { readonly local: Js }, declared: TypeDeclaration, layer: number): Js {
    return fitsTest(slot.local, declared) ?? js`${this.check(slot, layer, "fits")}(${slot.local})`;
  }

  private check({ path }: LayoutSlot, layer: number, asks: TypeCheck["asks"]): Js {
    this.checks.push({ layer, subject: this.subject, path, asks });
    return js`d[${this.checks.length - 1}]`;
  }
}

/**
 * The statements that read attributes of a map into local variables. They keep the invariant "own properties" of
 * `cel/values.ts` without a test for each property. The prototype of a map must be `Object.prototype` or null, and
 * `Object.prototype` must have none of the names. The outermost attributes may have any prototype without these names.
 * The check follows the reads with no call between: there it costs almost nothing. `in` is tested as well, since a
 * proxy can return values that it does not have.
 */
export function membersRead(
  map: Js,
  all: AttributeLocals,
  prototype: Js,
  declined: Js,
  isOutermost: boolean,
): readonly Js[] {
  const reads = [...all].map(
    ([name, { local }]) => js`${local} = ${quoted(name)} in ${map} ? ${map}[${quoted(name)}] : undefined;`,
  );
  const isForeign = js`${prototype} !== O && ${prototype} !== null`;
  const inherited = [...all.keys()].map((name) => js`${quoted(name)} in ${prototype}`);
  const isRefused = isOutermost ? js`${isForeign} && (${joined(inherited, " || ")})` : isForeign;
  return [...reads, js`const ${prototype} = G(${map});\nif (${isRefused}) ${declined}`];
}

/** Whether no list and no map is of the type. */
function isScalarType({ kinds }: TypeDeclaration): boolean {
  return (kinds & (KIND.array | KIND.object)) === 0;
}

/** Whether the type check of a value reads maps, or lists with other elements than texts. */
function isDeepType(declared: TypeDeclaration): boolean {
  return declared.hasParts && !isStringList(declared);
}

/**
 * The body of a function that copies these members of a map `s`, deeply by `q`. If all objects inherit one of the names,
 * it copies all.
 */
function memberCopy(members: readonly string[]): Js {
  const names = members.map(quoted);
  const inherited = names.map((name) => js`${name} in O`);
  const own = names.map((name) => js`HO(s, ${name})`);
  const values = names.map((name, i) => js`const v${i} = s[${name}];`);
  const copies = names.map((name, i) => js`${name}: typeof v${i} === "object" ? W(v${i}, q) : v${i}`);
  const some = names.map(
    (name, i) =>
      js`if (${own[i] ?? js``}) {\nconst v = s[${name}];\nc[${name}] = typeof v === "object" ? W(v, q) : v;\n}`,
  );
  return joined(
    [
      js`if (${joined(inherited, " || ")}) return W(s, q);`,
      // Most maps have all of the names: a literal is faster, and V8 keeps its shape.
      js`if (${joined(own, " && ")}) {\n${joined(values, "\n")}\nreturn { ${joined(copies, ", ")} };\n}`,
      js`const c = {};`,
      ...some,
      js`return c;`,
    ],
    "\n",
  );
}
