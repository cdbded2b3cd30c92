/** Unpacks texts into a policy set: see `packed.ts`. */

import type { Expr } from "../cel/ast.js";
import type { JsonValue } from "../cel/json.js";
import { policySetOf } from "../decisions/compiled-set.js";
import { layerOptionsOf, withGlobals } from "../decisions/configuration.js";
import { DecisionTables } from "../decisions/decision-tables.js";
import type { CompileOptions, PolicySet } from "../decisions/policy-set.js";
import type { Equipment } from "../engine/evaluate/equipment.js";
import { Layer } from "../engine/evaluate/layer.js";
import type { PolicyIssue, SourcePosition } from "../policy/issue.js";
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
import { type CompactReference, readCompact } from "./compact.js";
import {
  CONSTANT,
  EXPRESSION,
  type PackedExpression,
  type PackedHead,
  type PackedTypes,
  PLACE,
  type ResourceBody,
  type ResourceHead,
  type Texts,
} from "./packed.js";
import { UnpackedAttributeTypes } from "./unpack-types.js";

/**
 * The policy set that was packed, ready to decide. The set has no files; `hash` is the hash of the files it was built
 * from.
 */
export function unpack(
  texts: Texts,
  equipment: Equipment,
  hash?: string,
  globals?: CompileOptions["globals"],
  warnings: readonly PolicyIssue[] = [],
): PolicySet {
  const model = modelOf(texts);
  const configuration = withGlobals(headOf(texts).configuration, globals);
  const { permissionVersion, platformVersion, typedReads } = configuration;
  const packed = typesOf(texts);
  const written = packed === null ? undefined : new UnpackedAttributeTypes(packed);
  const types = written === undefined ? equipment.types : () => written;
  if (typedReads && types === undefined) throw new Error("keyward: schemas have to be read, and nothing here can");
  const layers = layerOptionsOf(configuration, { ...equipment, types }, equipment.source !== undefined);
  const keys = new Layer(model, permissionVersion, "not_granted", layers);
  const wall = platformVersion === null ? undefined : new Layer(model, platformVersion, "not_available", layers);
  const tables = new DecisionTables(keys, wall);
  return policySetOf({ permission: keys, platform: wall, tables, model, configuration, files: [], hash, warnings });
}

export function headOf([head = ""]: Texts): PackedHead {
  return JSON.parse(head);
}

function typesOf(texts: Texts): PackedTypes {
  return JSON.parse(texts[2] ?? "");
}

export function modelOf(texts: Texts): PolicyModel {
  const head = headOf(texts);
  const reader = new BundleTextReader(texts, head);
  const resources = head.resources.map((one, i) => new PackedPolicy(one, reader, i));
  const principals: PrincipalPolicy[] = [];
  for (let i = 0; i < head.principals; i++) principals.push(reader.policy(resources.length + i));
  const roles: RolePolicy[] = [];
  for (let i = 0; i < head.roles; i++) roles.push(reader.policy(resources.length + head.principals + i));
  return {
    level: head.configuration.cerbos,
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

/** The index of the first policy's text. */
const FIRST = 3;

class BundleTextReader {
  readonly head: PackedHead;
  private readonly texts: Texts;
  private readonly firstShared: number;
  private readonly firstExpression: number;
  private readonly known = new Map<number, unknown>();

  constructor(texts: Texts, head: PackedHead) {
    this.texts = texts;
    this.head = head;
    this.firstShared = FIRST + head.resources.length + head.principals + head.roles;
    this.firstExpression = this.firstShared + head.shared;
  }

  schemas(): ReadonlyMap<string, JsonValue> {
    const entries: readonly (readonly [string, JsonValue])[] = JSON.parse(this.texts[1] ?? "");
    return new Map(entries);
  }

  policy<P>(index: number): P {
    return this.read(FIRST + index);
  }

  read<T>(index: number): T {
    return readCompact(this.texts[index] ?? "", this.head.shapes, (reference) => this.referred(reference));
  }

  private referred([to, what, ...place]: CompactReference): unknown {
    if (to === PLACE) {
      const [line, column] = place;
      return { file: this.head.files[Number(what)] ?? "", line, column };
    }
    if (to === CONSTANT) return JSON.parse(String(what));
    const at = Number(what);
    return to === EXPRESSION
      ? this.once(this.firstExpression + at, (index) => new PackedSource(this, index))
      : this.once(this.firstShared + at, (index) => this.read(index));
  }

  private once(index: number, make: (index: number) => unknown): unknown {
    const known = this.known.get(index);
    if (known !== undefined) return known;
    const made = make(index);
    this.known.set(index, made);
    return made;
  }
}

/** A resource policy. Its rules are parsed when a question first needs them. */
class PackedPolicy implements ResourcePolicy {
  readonly kind = "resource";
  readonly key: string;
  readonly version: string;
  readonly scope: string;
  readonly resource: string;
  private readonly reader: BundleTextReader;
  private readonly index: number;
  private read: ResourceBody | undefined;

  constructor([key, version, scope, resource]: ResourceHead, reader: BundleTextReader, index: number) {
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

  get annotations(): ReadonlyMap<string, string> {
    return this.body.annotations;
  }
  get definitions(): Definitions {
    return this.body.definitions;
  }
  get at(): SourcePosition {
    return this.body.at;
  }
  get versionAt(): SourcePosition {
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

/** An expression, parsed on first use. Most are never parsed, because generated functions decide. */
class PackedSource implements Expression {
  private readonly reader: BundleTextReader;
  private readonly index: number;
  private read: PackedExpression | undefined;

  constructor(reader: BundleTextReader, index: number) {
    this.reader = reader;
    this.index = index;
  }

  private get packed(): PackedExpression {
    this.read ??= this.reader.read<PackedExpression>(this.index);
    return this.read;
  }

  get source(): string {
    return this.packed.source;
  }

  get expr(): Expr {
    return this.packed.tree;
  }

  position(offset: number): SourcePosition {
    const { file, places } = this.packed;
    let [at = 0, line = 1, column = 1] = places;
    for (let i = 3; i < places.length && (places[i] ?? 0) <= offset; i += 3) {
      [at, line, column] = [places[i] ?? 0, places[i + 1] ?? 1, places[i + 2] ?? 1];
    }
    return { file: this.reader.head.files[file] ?? "", line, column: column + Math.max(0, offset - at) };
  }
}
