/** Texts to policy sets: see `packed.ts`. */

import type { Expr } from "../cel/ast.js";
import type { JsonValue } from "../cel/json.js";
import { treeFromJson } from "../cel/tree-json.js";
import type { JsonMap } from "../cel/values.js";
import { Pair } from "../decisions/pair.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { Equipment } from "../engine/evaluate/equipment.js";
import { Layer } from "../engine/evaluate/layer.js";
import type { Position } from "../policy/issue.js";
import type {
  Definitions,
  DerivedRole,
  Expression,
  PolicyModel,
  PrincipalPolicy,
  ResourcePolicy,
  ResourceRule,
  RolePolicy,
  SchemaUse,
  ScopePermissions,
} from "../policy/model.js";
import type { Head, Marked, PackedExpression, PackedTypes, ResourceBody, ResourceHead, Texts } from "./packed.js";
import { WrittenTypes } from "./unpack-types.js";

/** The set that `pack` was given, ready to decide. What is read here was written by it. It has no files. */
export function unpack(texts: Texts, equipment: Equipment): PolicySet {
  const model = modelOf(texts);
  const { versions, globals, enforceSchemas, typedReads } = headOf(texts);
  const [permission, platform] = versions;
  const values: JsonMap = JSON.parse(globals);
  const packed = typesOf(texts);
  const written = packed === null ? undefined : new WrittenTypes(packed);
  const types = written === undefined ? equipment.types : () => written;
  if (typedReads && types === undefined) throw new Error("keyward: schemas have to be read, and nothing here can");
  const options = {
    equipment: { ...equipment, types },
    codegen: equipment.source !== undefined,
    globals: values,
    enforceSchemas,
    typedReads,
  };
  const keys = new Layer(model, permission, "not_granted", options);
  const wall = platform === null ? undefined : new Layer(model, platform, "not_available", options);
  return {
    permission: keys,
    platform: wall,
    pair: new Pair(keys, wall),
    model,
    files: [],
    warnings: [],
  };
}

/** The head of a packed set. */
export function headOf([head = ""]: Texts): Head {
  return JSON.parse(head);
}

function typesOf(texts: Texts): PackedTypes {
  return JSON.parse(texts[2] ?? "");
}

/** The model of a packed set. */
export function modelOf(texts: Texts): PolicyModel {
  const head = headOf(texts);
  const reader = new Reader(texts, head);
  const resources = head.resources.map((one, i) => new PackedPolicy(one, reader, i));
  const principals: PrincipalPolicy[] = [];
  for (let i = 0; i < head.principals; i++) principals.push(reader.policy(resources.length + i));
  const roles: RolePolicy[] = [];
  for (let i = 0; i < head.roles; i++) roles.push(reader.policy(resources.length + head.principals + i));
  return {
    resourcePolicies: resources,
    principalPolicies: principals,
    rolePolicies: roles,
    scopePermissions: new Map(head.scopePermissions),
    get schemas() {
      return reader.schemas();
    },
    unused: [],
    warnings: [],
  };
}

/** Where the texts of policies begin. */
const FIRST = 3;

class Reader {
  private readonly texts: Texts;
  private readonly files: readonly string[];
  private readonly firstShared: number;
  private readonly firstExpression: number;
  private readonly known = new Map<number, unknown>();

  constructor(texts: Texts, { files, resources, principals, roles, shared }: Head) {
    this.texts = texts;
    this.files = files;
    this.firstShared = FIRST + resources.length + principals + roles;
    this.firstExpression = this.firstShared + shared;
  }

  schemas(): ReadonlyMap<string, JsonValue> {
    const entries: readonly (readonly [string, JsonValue])[] = JSON.parse(this.texts[1] ?? "");
    return new Map(entries);
  }

  policy<P extends object>(index: number): P {
    const fields: P = JSON.parse(this.texts[FIRST + index] ?? "");
    this.reviveFields(fields);
    return fields;
  }

  /** Puts in place of each mark what it stands for. */
  private reviveFields(fields: object): void {
    for (const [name, value] of Object.entries(fields)) {
      const revived = this.revived(value);
      if (revived !== value) Reflect.set(fields, name, revived);
    }
  }

  private revived(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    const { $map, $json, $expression, $shared, $at }: Marked = value;
    if ($map !== undefined) return new Map($map.map(([key, each]) => [key, this.revived(each)]));
    if ($json !== undefined) return JSON.parse($json);
    if ($expression !== undefined) return this.expression(this.firstExpression + $expression);
    if ($shared !== undefined) return this.shared(this.firstShared + $shared);
    if ($at === undefined) {
      this.reviveFields(value);
      return value;
    }
    const [file, line, column] = $at;
    return { file: this.files[file] ?? "", line, column };
  }

  private shared(at: number): unknown {
    const known = this.known.get(at);
    if (known !== undefined) return known;
    const made: object = JSON.parse(this.texts[at] ?? "");
    this.reviveFields(made);
    this.known.set(at, made);
    return made;
  }

  private expression(at: number): unknown {
    const known = this.known.get(at);
    if (known !== undefined) return known;
    const made = new PackedSource(this.texts[at] ?? "", this.files);
    this.known.set(at, made);
    return made;
  }
}

/** A resource policy, whose rules are read when a question first needs them. */
class PackedPolicy implements ResourcePolicy {
  readonly kind = "resource";
  readonly key: string;
  readonly version: string;
  readonly scope: string;
  readonly resource: string;
  readonly annotations: ReadonlyMap<string, string> = NO_ANNOTATIONS;
  private readonly reader: Reader;
  private readonly index: number;
  private read: ResourceBody | undefined;

  constructor([key, version, scope, resource]: ResourceHead, reader: Reader, index: number) {
    this.key = key;
    this.version = version;
    this.scope = scope;
    this.resource = resource;
    this.reader = reader;
    this.index = index;
  }

  private get body(): ResourceBody {
    this.read ??= this.reader.policy<ResourceBody>(this.index);
    return this.read;
  }

  get definitions(): Definitions {
    return this.body.definitions;
  }
  get at(): Position {
    return this.body.at;
  }
  get versionAt(): Position {
    return this.body.at;
  }
  get name(): string {
    return this.body.name;
  }
  get scopePermissions(): ScopePermissions {
    return this.body.scopePermissions;
  }
  get rules(): readonly ResourceRule[] {
    return this.body.rules;
  }
  get derivedRoles(): ReadonlyMap<string, DerivedRole> {
    return this.body.derivedRoles;
  }
  get principalSchema(): SchemaUse | undefined {
    return this.body.principalSchema;
  }
  get resourceSchema(): SchemaUse | undefined {
    return this.body.resourceSchema;
  }
}

const NO_ANNOTATIONS: ReadonlyMap<string, string> = new Map();

/** An expression that is read when it is first needed, which for most is never: generated functions decide. */
class PackedSource implements Expression {
  private readonly text: string;
  private readonly files: readonly string[];
  private read: PackedExpression | undefined;
  private tree: Expr | undefined;

  constructor(text: string, files: readonly string[]) {
    this.text = text;
    this.files = files;
  }

  private get packed(): PackedExpression {
    const read: PackedExpression = this.read ?? JSON.parse(this.text);
    this.read = read;
    return read;
  }

  get source(): string {
    return this.packed[0];
  }

  get expr(): Expr {
    this.tree ??= treeFromJson(this.packed[1]);
    return this.tree;
  }

  position(offset: number): Position {
    const [, , file, places] = this.packed;
    let [at = 0, line = 1, column = 1] = places;
    for (let i = 3; i < places.length && (places[i] ?? 0) <= offset; i += 3) {
      [at, line, column] = [places[i] ?? 0, places[i + 1] ?? 1, places[i + 2] ?? 1];
    }
    return { file: this.files[file] ?? "", line, column: column + Math.max(0, offset - at) };
  }
}
