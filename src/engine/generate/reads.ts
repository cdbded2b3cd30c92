/** The request's values that generated code reads: each once, at the start, into a local variable. */

import { type Js, joined, js, quoted } from "./js.js";

/** What holds attributes: the principal (`p`) or the resource (`r`), as `PrincipalInput` and `ResourceInput`. */
export type Subject = "principal" | "resource";
export type Field = "id" | "kind" | "roles";

/** An attribute, with those inside it that are read as well. */
interface Attribute {
  readonly local: Js;
  readonly inside: Map<string, Attribute>;
}

/** A read attribute. */
export interface Place {
  /** Its local variable; `undefined` if it is absent. */
  readonly local: Js;
  /** What it was read from, which is a map if it is an object at all. */
  readonly within: Js;
  /** Whether it is there, of whatever value, if that is a map. */
  readonly isThere: Js;
}

const PROTOTYPE = Object.prototype;
const SUBJECTS: { readonly [subject in Subject]: Js } = { principal: js`p`, resource: js`r` };
const FIELDS: { readonly [field in Field]: Js } = { id: js`id`, kind: js`kind`, roles: js`roles` };

export class Reads {
  private count = 0;
  private readonly subjects = new Map<Subject, Map<string, Attribute>>();
  private readonly fields = new Map<string, { readonly local: Js; readonly source: Js }>();
  private readonly names = new Set<string>();

  /** `P.id` and its like. */
  field(subject: Subject, field: Field): Js {
    const key = `${subject}.${field}`;
    const known = this.fields.get(key);
    if (known !== undefined) return known.local;
    const local = this.local();
    this.fields.set(key, { local, source: js`${SUBJECTS[subject]}.${FIELDS[field]}` });
    return local;
  }

  /** `P.attr.a.b`. Undefined if a name in it is one that objects inherit. */
  attribute(subject: Subject, path: readonly string[]): Place | undefined {
    if (path.some((name) => name in PROTOTYPE)) return undefined;
    let inside = this.subjects.get(subject) ?? new Map<string, Attribute>();
    this.subjects.set(subject, inside);
    let within = js`${SUBJECTS[subject]}.attr`;
    let place: Place | undefined;
    for (const name of path) {
      this.names.add(name);
      const known = inside.get(name) ?? { local: this.local(), inside: new Map<string, Attribute>() };
      inside.set(name, known);
      place = { local: known.local, within, isThere: js`${quoted(name)} in ${within}` };
      within = known.local;
      inside = known.inside;
    }
    return place;
  }

  /** Every path that is read, with its local variable. */
  paths(): readonly { readonly subject: Subject; readonly path: readonly string[]; readonly local: Js }[] {
    const under = (subject: Subject, at: readonly string[], all: ReadonlyMap<string, Attribute>): Path[] =>
      [...all].flatMap(([name, { local, inside }]) => {
        const path = [...at, name];
        return [{ subject, path, local }, ...under(subject, path, inside)];
      });
    return [...this.subjects].flatMap(([subject, all]) => under(subject, [], all));
  }

  /**
   * The statements that read. Only own properties count: the prototype of each map is the usual one or none, and the
   * usual one has none of the names. (The checks come after the reads: then they cost next to nothing.) Asking `in` as
   * well stops a proxy that makes up what it does not have.
   */
  statements(): readonly Js[] {
    const fields = [...this.fields.values()].map(({ local, source }) => js`const ${local} = ${source};`);
    const maps = [...this.subjects].flatMap(([subject, all]) => {
      const map = this.local();
      return [js`const ${map} = ${SUBJECTS[subject]}.attr;`, ...this.readAll(map, all)];
    });
    const names = [...this.names].map((name) => js`${quoted(name)} in O`);
    const polluted = names.length === 0 ? [] : [js`if (${joined(names, " || ")}) return -1;`];
    return [...fields, ...maps, ...polluted];
  }

  private readAll(map: Js, all: ReadonlyMap<string, Attribute>): readonly Js[] {
    const reads = [...all].map(
      ([name, { local }]) => js`${local} = ${quoted(name)} in ${map} ? ${map}[${quoted(name)}] : undefined;`,
    );
    const inner = [...all.values()].flatMap(({ local, inside }) => {
      if (inside.size === 0) return [];
      const statements = joined(this.readAll(local, inside), "\n");
      return [js`if (typeof ${local} === "object" && ${local} !== null) {\n${statements}\n}`];
    });
    const prototype = this.local();
    const plain = js`const ${prototype} = G(${map});\nif (${prototype} !== O && ${prototype} !== null) return -1;`;
    return [...reads, plain, ...inner];
  }

  /** Declares the local variables of attributes. */
  declaration(): Js | undefined {
    const locals = this.paths().map(({ local }) => local);
    return locals.length === 0 ? undefined : js`let ${joined(locals, ", ")};`;
  }

  private local(): Js {
    return js`a${this.count++}`;
  }
}

interface Path {
  readonly subject: Subject;
  readonly path: readonly string[];
  readonly local: Js;
}
