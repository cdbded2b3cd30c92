/** Requests under construction. */

import type { JsonValue } from "../cel/json.js";
import { timestampAt } from "../cel/time.js";
import type { Timestamp } from "../cel/values.js";
import type { DecisionRequest, PermissionRequest } from "../decisions/types.js";
import type { PrincipalInput } from "../engine/plan/subjects.js";
import type { SpaceLayer, SpaceSubject as SubjectName, ValuePlace } from "./dimension.js";

type DraftFields = { [field: string]: unknown };

type DraftAttributes = NonNullable<DecisionRequest["key"]["attr"]>;

/** The attribute is absent. */
export const ABSENT: unique symbol = Symbol("absent");

export type DraftValue = JsonValue | typeof ABSENT;

/** The decision's clock in made-up requests. */
export const CLOCK = "2025-06-02T12:00:00Z";

/** A request with values that can be set one by one. It shares no data with its source. */
export class Draft {
  readonly key: { id: string; roles: string[]; attr: DraftAttributes; scope: string };
  readonly account: { id: string; attr: DraftAttributes; scope: string };
  readonly resource: { kind: string; id: string; attr: DraftAttributes; scope: string };
  operation: string;
  now: string | undefined;
  /** Whether requests have an account. Requests of permission-only sets need none. */
  hasAccount = true;

  constructor(kind: string, operation: string) {
    this.key = { id: "key_1", roles: [], attr: {}, scope: "" };
    this.account = { id: "account_1", attr: {}, scope: "" };
    this.resource = { kind, id: `${kind.replaceAll(/\W/g, "_")}_1`, attr: {}, scope: "" };
    this.operation = operation;
  }

  static from(request: PermissionRequest): Draft {
    const { key, account, resource, operation, now } = request;
    const draft = new Draft(resource.kind, operation);
    Object.assign(draft.key, { id: key.id, roles: [...key.roles], attr: copy(key.attr), scope: key.scope ?? "" });
    if (account === undefined) draft.hasAccount = false;
    else Object.assign(draft.account, { id: account.id, attr: copy(account.attr), scope: account.scope ?? "" });
    Object.assign(draft.resource, { id: resource.id, attr: copy(resource.attr), scope: resource.scope ?? "" });
    draft.now = now?.toISOString();
    return draft;
  }

  copy(): Draft {
    const draft = new Draft(this.resource.kind, this.operation);
    Object.assign(draft.key, { ...this.key, roles: [...this.key.roles], attr: copy(this.key.attr) });
    Object.assign(draft.account, { ...this.account, attr: copy(this.account.attr) });
    Object.assign(draft.resource, { ...this.resource, attr: copy(this.resource.attr) });
    draft.now = this.now;
    draft.hasAccount = this.hasAccount;
    return draft;
  }

  get({ subject, path }: ValuePlace): unknown {
    let value: unknown = this[subject];
    for (const field of path) {
      if (!isFields(value) || !Object.hasOwn(value, field)) return ABSENT;
      value = value[field];
    }
    return value;
  }

  /** Whether a value can be set without losing another one: every value on the path to it is a map or absent. */
  isOpen({ subject, path }: ValuePlace): boolean {
    return path.slice(1).every((_, i) => {
      const above = this.get({ subject, path: path.slice(0, i + 1) });
      return above === ABSENT || isFields(above);
    });
  }

  /** Sets a value. Missing maps on the path to it are created. */
  set({ subject, path }: ValuePlace, value: unknown): void {
    const last = path.at(-1);
    if (last === undefined) return;
    let holder: DraftFields = this.subject(subject);
    for (const field of path.slice(0, -1)) {
      const inner = Object.hasOwn(holder, field) ? holder[field] : undefined;
      if (isFields(inner)) holder = inner;
      else if (value === ABSENT) return;
      else {
        const made: DraftFields = {};
        define(holder, field, made);
        holder = made;
      }
    }
    if (value === ABSENT) delete holder[last];
    else define(holder, last, value);
  }

  private subject(subject: SubjectName): DraftFields {
    return { key: this.key, account: this.account, resource: this.resource }[subject];
  }

  /** The request as `decide` takes it. It changes with the draft. */
  toRequest(): PermissionRequest {
    const { key, account, resource, operation, now, hasAccount } = this;
    return {
      key,
      operation,
      resource,
      ...(hasAccount ? { account } : {}),
      ...(now === undefined ? {} : { now: new Date(now) }),
    };
  }

  /** The principal that expressions of a layer read as `P`. */
  principal(layer: SpaceLayer): PrincipalInput {
    return layer === "permission" ? this.key : { ...this.account, roles: ["account"] };
  }

  clock(): Timestamp | undefined {
    if (this.now === undefined) return undefined;
    return timestampAt(Date.parse(this.now));
  }

  /** The request as `keyward decide` takes it. */
  toJson(): RequestJson {
    const { key, account, resource, operation, now, hasAccount } = this;
    const scope = (of: { readonly scope: string }) => (of.scope === "" ? {} : { scope: of.scope });
    return {
      key: { id: key.id, roles: [...key.roles], attr: copy(key.attr), ...scope(key) },
      operation,
      resource: { kind: resource.kind, id: resource.id, attr: copy(resource.attr), ...scope(resource) },
      ...(hasAccount ? { account: { id: account.id, attr: copy(account.attr), ...scope(account) } } : {}),
      ...(now === undefined ? {} : { now }),
    };
  }
}

interface SubjectJson {
  readonly id: string;
  readonly attr: { readonly [name: string]: JsonValue };
  readonly scope?: string;
}

/** A decision request in JSON. */
export interface RequestJson {
  readonly key: SubjectJson & { readonly roles: readonly string[] };
  readonly operation: string;
  readonly resource: SubjectJson & { readonly kind: string };
  /** Absent in requests of permission-only sets. */
  readonly account?: SubjectJson;
  readonly now?: string;
}

/** The request that `decide` takes. */
export function requestOf({ key, operation, resource, account, now }: RequestJson): PermissionRequest {
  const request: unknown = {
    key,
    operation,
    resource,
    ...(account === undefined ? {} : { account }),
    ...(now === undefined ? {} : { now: new Date(now) }),
  };
  if (!isRequest(request)) throw new Error("keyward: a request that is none");
  return request;
}

function isRequest(value: unknown): value is PermissionRequest {
  return isFields(value) && isFields(value.key) && isFields(value.resource);
}

function define(holder: DraftFields, field: string, value: unknown): void {
  if (field === "__proto__")
    Object.defineProperty(holder, field, { value, enumerable: true, configurable: true, writable: true });
  else holder[field] = value;
}

/** JSON data, copied. */
function copy(value: unknown): { [name: string]: JsonValue } {
  return value === undefined ? {} : JSON.parse(JSON.stringify(value));
}

function isFields(value: unknown): value is DraftFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
