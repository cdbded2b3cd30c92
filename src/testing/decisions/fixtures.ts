/** The keys, accounts and resources of a suite: from its own file, and from the fixture files that it names. */

import { isObject, type JsonObject, type JsonValue } from "../../cel/json.js";
import { didYouMean } from "../../policy/distance.js";
import type { IssueLog } from "../../policy/issue-log.js";
import { mapField, textField } from "../../policy/read/fields.js";
import type { Source } from "../../policy/text/source.js";
import { type MapNode, objectOf } from "../../policy/text/tree.js";
import { type NameNode, namesField, textsField } from "./nodes.js";

export const FIXTURE_KINDS = ["key", "account", "resource"] as const;

export type FixtureKind = (typeof FIXTURE_KINDS)[number];

/** A key, account or resource, with `extends` resolved. Absent fields are `""` or empty. */
export interface ResolvedFixture {
  readonly id: string;
  readonly kind: string;
  readonly roles: readonly string[];
  readonly attr: JsonObject;
  readonly scope: string;
}

interface FixtureSource {
  readonly node: MapNode;
  readonly key: { readonly start: number };
  readonly source: Source;
}

export class FixtureSet {
  private readonly log: IssueLog;
  private readonly written = new Map<string, FixtureSource>();
  private readonly resolved = new Map<string, ResolvedFixture | undefined>();

  constructor(log: IssueLog) {
    this.log = log;
  }

  /** Adds the fixtures of a document. A repeated name is an issue, since either definition could be meant. */
  add(document: MapNode, source: Source): void {
    for (const kind of FIXTURE_KINDS) {
      for (const [name, { key, value }] of mapField(document, `${kind}s`)?.entries ?? []) {
        if (value.kind !== "map") continue;
        const id = `${kind} ${name}`;
        const first = this.written.get(id);
        if (first === undefined) this.written.set(id, { node: value, key, source });
        else {
          const { file, line } = first.source.position(first.key.start);
          const message = `the ${kind} "${name}" is defined twice: first in ${file}, line ${line}`;
          this.log.error("duplicate", source.position(key.start), message);
        }
      }
    }
  }

  /** Resolves every fixture, used or not, so that all faults are reported. */
  check(): void {
    for (const id of this.written.keys()) {
      const [kind, name] = [FIXTURE_KINDS.find((each) => id.startsWith(`${each} `)), id.slice(id.indexOf(" ") + 1)];
      if (kind !== undefined) this.resolve(kind, name);
    }
  }

  /** The fixture with this name. If there is none, logs an issue at the name and returns undefined. */
  find(kind: FixtureKind, { name, start, source }: NameNode): ResolvedFixture | undefined {
    if (this.written.has(`${kind} ${name}`)) return this.resolve(kind, name);
    const known = [...this.written.keys()].flatMap((id) =>
      id.startsWith(`${kind} `) ? [id.slice(kind.length + 1)] : [],
    );
    this.log.error(
      "unknown_fixture",
      source.position(start),
      `there is no ${kind} "${name}" among the fixtures`,
      didYouMean(name, known),
    );
    return undefined;
  }

  private resolve(kind: FixtureKind, name: string): ResolvedFixture | undefined {
    const id = `${kind} ${name}`;
    const written = this.written.get(id);
    if (written === undefined || this.resolved.has(id)) return this.resolved.get(id);
    // A fixture that extends itself finds undefined here, so the recursion ends.
    this.resolved.set(id, undefined);
    const fixture = this.build(kind, name, written);
    this.resolved.set(id, fixture);
    return fixture;
  }

  private build(kind: FixtureKind, name: string, { node, source }: FixtureSource): ResolvedFixture | undefined {
    const extended = node.entries.get("extends")?.value;
    const base =
      extended === undefined
        ? undefined
        : this.find(kind, { name: textField(node, "extends"), start: extended.start, source });
    if (extended !== undefined && base === undefined) {
      if (this.written.has(`${kind} ${textField(node, "extends")}`)) {
        this.log.error("shape", source.position(extended.start), `the ${kind} "${name}" extends itself`);
      }
      return undefined;
    }
    const roles = textsField(node, "roles", source) ?? [];
    const own = mapField(node, "attr");
    const fixture = {
      id: this.writtenId(kind, node) || name,
      kind: textField(node, "kind") || (base?.kind ?? ""),
      roles: roles.length > 0 ? roles : (base?.roles ?? []),
      attr: merged(base?.attr ?? {}, own === undefined ? {} : objectOf(own)),
      scope: textField(node, "scope") || (base?.scope ?? ""),
    };
    const missing =
      kind === "key" && fixture.roles.length === 0
        ? "roles"
        : kind === "resource" && fixture.kind === ""
          ? "kind"
          : undefined;
    if (missing !== undefined) {
      this.log.error("shape", source.position(node.start), `the field "${missing}" is missing`);
    }
    return { ...fixture, attr: this.without(fixture.attr, namesField(node, "without", source)) };
  }

  /** The id of a fixture, its own or inherited; `""` if none is written. Then the fixture's name is its id. */
  private writtenId(kind: FixtureKind, node: MapNode): string {
    const base = this.written.get(`${kind} ${textField(node, "extends")}`);
    return textField(node, "id") || (base === undefined ? "" : this.writtenId(kind, base.node));
  }

  /** Removes attributes, each given by its name or (within objects) its path: `limits.keys`. */
  without(attr: JsonObject, names: readonly NameNode[]): JsonObject {
    let rest = attr;
    for (const { name, start, source } of names) {
      const less = removed(rest, name);
      if (less === undefined) {
        const hint = didYouMean(name, Object.keys(attr));
        this.log.error("shape", source.position(start), `there is no attribute "${name}" to leave out`, hint);
      } else rest = less;
    }
    return rest;
  }
}

/** Merges `over` into `base`: objects member by member; any other value replaces the old one. */
export function merged(base: JsonObject, over: JsonObject): JsonObject {
  const result: { [key: string]: JsonValue } = Object.assign(Object.create(null), base);
  for (const [key, value] of Object.entries(over)) {
    const before = Object.hasOwn(base, key) ? base[key] : undefined;
    result[key] = isObject(before) && isObject(value) ? merged(before, value) : value;
  }
  return result;
}

function removed(attr: JsonObject, path: string): JsonObject | undefined {
  const copy: { [key: string]: JsonValue } = Object.assign(Object.create(null), attr);
  if (Object.hasOwn(attr, path)) {
    delete copy[path];
    return copy;
  }
  const dot = path.indexOf(".");
  const outer = path.slice(0, Math.max(dot, 0));
  const inner = Object.hasOwn(attr, outer) ? attr[outer] : undefined;
  const less = isObject(inner) ? removed(inner, path.slice(dot + 1)) : undefined;
  if (less === undefined) return undefined;
  copy[outer] = less;
  return copy;
}
