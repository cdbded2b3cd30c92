/** Texts to policy sets: see `packed.ts`. */

import type { Expr } from "../cel/ast.js";
import type { JsonValue } from "../cel/json.js";
import { treeFromJson } from "../cel/tree-json.js";
import type { JsonMap } from "../cel/values.js";
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
import type { Head, Marked, PackedExpression, ResourceBody, ResourceHead, Texts } from "./packed.js";

/** The set that `pack` was given, ready to decide. What is read here was written by it. It has no files. */
export function unpack(texts: Texts, equipment: Equipment): PolicySet {
  const model = modelOf(texts);
  const { versions, globals, enforceSchemas, typedReads } = headOf(texts);
  const [permission, platform] = versions;
  const values: JsonMap = JSON.parse(globals);
  const options = { equipment, codegen: equipment.source !== undefined, globals: values, enforceSchemas, typedReads };
  return {
    permission: new Layer(model, permission, "not_granted", options),
    platform: platform === null ? undefined : new Layer(model, platform, "not_available", options),
    model,
    files: [],
    warnings: [],
  };
}

/** The head of a packed set. */
export function headOf([head = ""]: Texts): Head {
  return JSON.parse(head);
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
    schemas: reader.schemas(),
    unused: [],
    warnings: [],
  };
}

/** Where the texts of policies begin. */
const FIRST = 2;

class Reader {
  private readonly texts: Texts;
  private readonly files: readonly string[];
  private readonly firstShared: number;
  private readonly firstExpression: number;
  private readonly known = new Map<number, unknown>();
  private readonly revive = (_: string, value: unknown): unknown => this.revived(value);

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

  policy<P>(index: number): P {
    return JSON.parse(this.texts[FIRST + index] ?? "", this.revive);
  }

  private revived(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    const { $map, $json, $expression, $shared, $at }: Marked = value;
    if ($map !== undefined) return new Map($map);
    if ($json !== undefined) return JSON.parse($json);
    if ($expression !== undefined) return this.expression(this.firstExpression + $expression);
    if ($shared !== undefined) return this.shared(this.firstShared + $shared);
    if ($at === undefined) return value;
    const [file, line, column] = $at;
    return { file: this.files[file] ?? "", line, column };
  }

  private shared(at: number): unknown {
    const known = this.known.get(at);
    if (known !== undefined) return known;
    const made: unknown = JSON.parse(this.texts[at] ?? "", this.revive);
    this.known.set(at, made);
    return made;
  }

  private expression(at: number): unknown {
    const known = this.known.get(at);
    if (known !== undefined) return known;
    const packed: PackedExpression = JSON.parse(this.texts[at] ?? "");
    const made = new PackedSource(packed, this.files);
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

class PackedSource implements Expression {
  readonly source: string;
  readonly expr: Expr;
  private readonly file: string;
  private readonly places: readonly number[];

  constructor([source, tree, file, places]: PackedExpression, files: readonly string[]) {
    this.source = source;
    this.expr = treeFromJson(tree);
    this.file = files[file] ?? "";
    this.places = places;
  }

  position(offset: number): Position {
    let [at = 0, line = 1, column = 1] = this.places;
    for (let i = 3; i < this.places.length && (this.places[i] ?? 0) <= offset; i += 3) {
      [at, line, column] = [this.places[i] ?? 0, this.places[i + 1] ?? 1, this.places[i + 2] ?? 1];
    }
    return { file: this.file, line, column: column + Math.max(0, offset - at) };
  }
}
