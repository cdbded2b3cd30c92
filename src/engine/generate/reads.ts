/** The values that a generated function reads: slots of the two frames, and members of the elements of lists. */

import { isStringList, KIND, type TypeDeclaration } from "../../cel/type-declaration.js";
import { LONG_TEXT } from "../frame/budget.js";
import { type Js, joined, js, quoted } from "../frame/js.js";
import { type AttributeLocals, attributesIn, type Layout, type Owned } from "../frame/layout.js";
import { membersRead } from "../frame/reader.js";
import type { AttributeOwner, DeclaredAttributeTypes } from "../plan/subjects.js";
import { NOT_TEXTS } from "./answers.js";
import { NO_SET } from "./written.js";

/** An attribute that expressions read. */
interface ReadAttribute {
  readonly path: readonly string[];
  readonly declared: TypeDeclaration | undefined;
  /** Whether it is read with all the values inside it. */
  isWhole: boolean;
  /** How many of these reads rely on the frame's reader to check the types of the values inside it. */
  wholes: number;
  /** The temporary variable with the answer of the one search that reads it in place; undefined if it is copied. */
  answer: Js | undefined;
}

/** Attributes of one map, by name. */
export type ReadAttributes = AttributeLocals<ReadAttribute>;

/** An attribute where an expression reads it. */
export interface AttributeLocal {
  /** Its local variable; `undefined` if it is absent. */
  readonly local: Js;
  /** The local variable of the value that contains it; undefined: it stands in the attributes themselves. */
  readonly within: Js | undefined;
}

/**
 * A predicate of a macro over the elements of a list: the local variable with an element, and the members that it
 * reads.
 */
export interface ElementSearch {
  readonly element: Js;
  readonly inside: ReadAttributes;
}

const PROTOTYPE = Object.prototype;
/** Types of values that are compared directly. */
const SCALAR = KIND.string | KIND.boolean | KIND.null;

/** The local variables with fields of the frames. */
const FIELDS = {
  principal: { id: js`pi`, roles: js`pr` },
  resource: { kind: js`rk`, id: js`ri` },
} as const;

/** A field of a frame besides the attributes. */
export type FrameField = "id" | "kind" | "roles";

/** The places of indexes in kept frames, by list and sought texts. Functions of many plans share a frame. */
export class IndexPlaces {
  private readonly places = new Map<string, number>();

  of(path: readonly string[], sought: Js): number {
    const key = JSON.stringify([path, sought.text]);
    const place = this.places.get(key) ?? this.places.size;
    this.places.set(key, place);
    return place;
  }
}

export class FrameReads {
  private readonly subjects: { readonly [subject in AttributeOwner]: ReadAttributes } = {
    principal: new Map(),
    resource: new Map(),
  };
  private readonly types: DeclaredAttributeTypes;
  private readonly places: IndexPlaces;
  private count = 0;
  private readonly fields = new Map<string, Js>();
  /** The names that are read in elements of lists. */
  private readonly memberNames = new Set<string>();
  private readonly uses = new Map<string, number>();
  private readonly searches = new Map<string, ElementSearch[]>();
  /** The code that makes each index, by its place. */
  private readonly indexes = new Map<number, Js>();

  constructor(types: DeclaredAttributeTypes, places: IndexPlaces) {
    this.types = types;
    this.places = places;
  }

  /** `P.id` and the other fields. */
  field(subject: AttributeOwner, field: FrameField): Js {
    const found: { readonly [name in FrameField]?: Js } = FIELDS[subject];
    const local = found[field];
    if (local === undefined) throw new Error(`keyward: the ${subject} has no ${field}`);
    this.fields.set(local.text, js`const ${local} = ${frameOf(subject)}${member(field)};`);
    return local;
  }

  /** `P.attr.a.b`. Undefined if all objects inherit one of the names. */
  attribute(subject: AttributeOwner, path: readonly string[]): AttributeLocal | undefined {
    return this.place(this.subjects[subject], undefined, path, this.types[subject]);
  }

  /** The attribute at `path` in a map with the attributes `among`. Undefined likewise. */
  place(
    among: ReadAttributes,
    map: Js | undefined,
    path: readonly string[],
    root?: TypeDeclaration,
  ): AttributeLocal | undefined {
    if (path.some((name) => name in PROTOTYPE)) return undefined;
    let inside = among;
    let within = map;
    let place: AttributeLocal | undefined;
    let last: ReadAttribute | undefined;
    let declared = root;
    for (const [i, name] of path.entries()) {
      if (map !== undefined) this.memberNames.add(name);
      declared = declared?.member(name);
      const attribute = inside.get(name) ?? {
        path: path.slice(0, i + 1),
        declared,
        isWhole: false,
        wholes: 0,
        answer: undefined,
        local: this.local(),
        inside: new Map(),
      };
      inside.set(name, attribute);
      place = { local: attribute.local, within };
      within = attribute.local;
      inside = attribute.inside;
      last = attribute;
    }
    if (last === undefined) return undefined;
    last.isWhole = true;
    last.wholes++;
    return place;
  }

  /** Counts a use of a local variable in an expression. */
  use(local: Js): void {
    this.uses.set(local.text, (this.uses.get(local.text) ?? 0) + 1);
  }

  /** Records that a predicate reads members of the elements of a list. */
  search(local: Js, search: ElementSearch): void {
    this.searches.set(local.text, [...(this.searches.get(local.text) ?? []), search]);
  }

  /** Whether an attribute is declared as a text, a boolean or null, so that its value is one of these or absent. */
  isScalar(local: Js): boolean {
    return this.declaredOf(local).some(({ kinds }) => (kinds & ~SCALAR) === 0);
  }

  /** Whether no text that an attribute is declared to have is long. */
  isShort(local: Js): boolean {
    return this.declaredOf(local).some(
      ({ kinds, scalars }) =>
        (kinds & ~SCALAR) === 0 &&
        ((kinds & KIND.string) === 0 ||
          (scalars !== undefined && [...scalars].every((one) => typeof one !== "string" || one.length < LONG_TEXT))),
    );
  }

  private declaredOf(local: Js): readonly TypeDeclaration[] {
    return this.find(local)?.declared === undefined
      ? []
      : [this.find(local)?.declared].filter((one) => one !== undefined);
  }

  private find(local: Js) {
    const all = [...attributesIn(this.subjects.principal), ...attributesIn(this.subjects.resource)];
    return all.find((one) => one.local.text === local.text);
  }

  /**
   * Whether an attribute, which the caller has just read, is declared to be a list of texts and nothing else. If so,
   * the caller checks that it is one, and the reader does not.
   */
  leavesTexts(local: Js): boolean {
    const found = this.find(local);
    if (found?.declared === undefined || !isStringList(found.declared)) return false;
    found.wholes--;
    return true;
  }

  /**
   * Leaves a list of the principal uncopied, because one search alone reads it. After that search nothing but the
   * search itself may set the flag. Its answer tells whether it has read anything. False if the list is read elsewhere,
   * too. Also false for a list of the resource, which the other layer may read.
   */
  leaveInPlace(local: Js, answer: Js): boolean {
    const found = attributesIn(this.subjects.principal).find((one) => one.local.text === local.text);
    if (found === undefined || found.inside.size > 0 || this.uses.get(local.text) !== 1) return false;
    if (found.wholes > 0 && found.declared?.hasParts === true) return false;
    found.answer = answer;
    return true;
  }

  /**
   * The local variable with the index of a principal's list for the texts `sought`. In kept frames the index is made
   * when it is first needed. In other frames it is null. Undefined for a local variable without an attribute of the
   * principal.
   */
  indexOf(local: Js, sought: Js): Js | undefined {
    const list = attributesIn(this.subjects.principal).find((one) => one.local.text === local.text);
    if (list === undefined) return undefined;
    const place = this.places.of(list.path, sought);
    this.indexes.set(place, js`B(${local}, ${sought})`);
    return js`x${place}`;
  }

  /** The slots of a frame. `keepsAll`: closures may read values that generated code does not read. */
  layout(subject: AttributeOwner, keepsAll: boolean): Layout {
    return attributesIn(this.subjects[subject]).map(({ path, isWhole, wholes, declared, local, answer }) => {
      const owned = answer === undefined ? this.ownedBy(local) : "none";
      const type = declared && { declared, isWhole: wholes > 0 };
      return { path, isWhole, owned: keepsAll && typeof owned === "object" ? "all" : owned, types: [type] };
    });
  }

  private ownedBy(local: Js): Owned {
    const searches = this.searches.get(local.text) ?? [];
    if (searches.length === 0) return "elements";
    const isSearchedAlone =
      this.uses.get(local.text) === searches.length && searches.every(({ element }) => !this.uses.has(element.text));
    return isSearchedAlone ? [...new Set(searches.flatMap(({ inside }) => [...inside.keys()]))] : "all";
  }

  /**
   * Statements for a run without a result. They replace a list that was found not to have texts alone by `NT`, so
   * closures find the same without reading it again. A kept frame is left as it is: plans with other types share it,
   * and its closures read a copy anyway.
   */
  misfits(): readonly Js[] {
    return attributesIn(this.subjects.principal).flatMap(({ answer }, i) =>
      answer === undefined ? [] : [js`if (${answer} === ${NOT_TEXTS} && p.indexes === null) P.s${i} = NT;`],
    );
  }

  /** The statements that load the values from the frames. */
  statements(): readonly Js[] {
    const principal = attributesIn(this.subjects.principal);
    const resource = attributesIn(this.subjects.resource);
    const inherited = [...this.memberNames].map((name) => js`${quoted(name)} in O`);
    return [
      ...(inherited.length === 0 ? [] : [js`if (${joined(inherited, " || ")}) return ${NO_SET};`]),
      ...this.fields.values(),
      ...principal.map(({ local }, i) => js`const ${local} = P.s${i};`),
      ...resource.map(({ local }, i) => js`const ${local} = v.s${i};`),
      ...[...this.indexes].map(([place, made]) => {
        const known = js`PA(p.indexes, ${place})`;
        return js`const x${place} = p.indexes === null ? null : ${known} === undefined ? PP(p.indexes, ${place}, ${made}) : ${known};`;
      }),
    ];
  }

  /**
   * The statements that read members of a list's element, in a function that returns `declined` for unusual elements.
   */
  element(local: Js, inside: ReadAttributes, declined: Js): readonly Js[] {
    if (inside.size === 0) return [];
    const locals = attributesIn(inside).map((one) => one.local);
    return [js`let ${joined(locals, ", ")};`, ...this.members(local, inside, js`return ${declined};`)];
  }

  private members(map: Js, inside: ReadAttributes, declined: Js): readonly Js[] {
    const deeper = [...inside.values()].flatMap((one) =>
      one.inside.size === 0 ? [] : this.members(one.local, one.inside, declined),
    );
    const statements = joined([...membersRead(map, inside, this.local(), declined, false), ...deeper], "\n");
    return [js`if (typeof ${map} === "object" && ${map} !== null) {\n${statements}\n}`];
  }

  /** A new local variable. */
  local(): Js {
    return js`a${this.count++}`;
  }
}

function frameOf(subject: AttributeOwner): Js {
  return subject === "principal" ? js`p` : js`r`;
}

function member(field: FrameField): Js {
  return field === "id" ? js`.id` : field === "roles" ? js`.roles` : js`.kind`;
}
