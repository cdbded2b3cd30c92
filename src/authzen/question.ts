/** From a request of the standard to a request for a decision. */

import { type Either, isLeft, right } from "fp-ts/lib/Either.js";
import { isList, type JsonObject, type JsonValue } from "../cel/json.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { PermissionRequest } from "../decisions/types.js";
import { isName } from "../decisions/well-formed.js";
import type { ValidationError } from "../engine/evaluate/attribute-schemas.js";
import type { Layer } from "../engine/evaluate/layer.js";
import type { EntityTables } from "./data.js";
import type { EvaluationRequest } from "./entities.js";
import { type AuthzenFault, badRequest } from "./fault.js";
import { type AuthzenMapping, DeclaredAttributes, type RequestPath, requestPath, valueAt } from "./mapping.js";

/** The parts of a decision request that have attributes. */
type Part = "key" | "resource" | "account";

/** Where the properties of each part come from; an account has none in a request. */
const PROPERTIES = { key: "subject", resource: "resource", account: undefined } as const;

export class QuestionReader {
  private readonly tables: EntityTables;
  private readonly declared: { readonly [part in Part]: DeclaredAttributes };
  private readonly roles: RequestPath | undefined;
  private readonly account: RequestPath | undefined;

  constructor({ attributes = {}, roles, account }: AuthzenMapping, tables: EntityTables) {
    this.tables = tables;
    this.declared = {
      key: new DeclaredAttributes(attributes.key),
      resource: new DeclaredAttributes(attributes.resource),
      account: new DeclaredAttributes(attributes.account),
    };
    this.roles = roles === undefined ? undefined : requestPath(roles);
    this.account = account === undefined ? undefined : requestPath(account);
  }

  /**
   * Right: the request for a decision; undefined if the subject or the resource is unknown, which is refused. An entity
   * is unknown if the data lists others of its type and the request has no properties for it. Left: the fault of the
   * request.
   */
  read(
    policies: PolicySet,
    request: EvaluationRequest,
    now: Date,
  ): Either<AuthzenFault, PermissionRequest | undefined> {
    const { subject, action, resource } = request;
    const { subjects, resources } = this.tables;
    const knownSubject = subjects.find(subject.type, subject.id);
    const knownResource = resources.find(resource.type, resource.id);
    const roles = this.rolesOf(request, knownSubject?.roles ?? []);
    if (isLeft(roles)) return roles;
    const account = this.accountOf(policies, request);
    if (isLeft(account)) return account;
    const asked = {
      key: {
        id: subject.id,
        roles: roles.right,
        attr: this.declared.key.over({ ...knownSubject?.properties, ...subject.properties }, request),
      },
      operation: action.name,
      resource: {
        kind: resource.type,
        id: resource.id,
        attr: this.declared.resource.over({ ...knownResource?.properties, ...resource.properties }, request),
      },
      account: account.right,
      now,
    };
    const typed = this.typed(policies, request, asked);
    if (isLeft(typed)) return typed;
    const isUnknown =
      (knownSubject === undefined && subjects.hasType(subject.type) && isEmpty(subject.properties)) ||
      (knownResource === undefined && resources.hasType(resource.type) && isEmpty(resource.properties));
    return right(isUnknown ? undefined : typed.right);
  }

  private rolesOf(request: EvaluationRequest, listed: readonly string[]): Either<AuthzenFault, readonly string[]> {
    if (listed.length > 0) return right(listed);
    const given = this.roles === undefined ? undefined : valueAt(request, this.roles);
    if (given === undefined || this.roles === undefined) return right([request.subject.type]);
    return isList(given) && given.every(isName) && given.length > 0
      ? right(given)
      : badRequest(`${this.roles.join(".")} must be a list of roles`);
  }

  private accountOf(
    { platform }: PolicySet,
    request: EvaluationRequest,
  ): Either<AuthzenFault, PermissionRequest["account"]> {
    if (platform === undefined || this.account === undefined) return right(undefined);
    const id = valueAt(request, this.account) ?? this.listedAccount(request, this.account);
    if (id === undefined) return badRequest(`${this.account.join(".")} is missing`);
    if (!isName(id)) return badRequest(`${this.account.join(".")} must be the id of an account`);
    const attr = this.declared.account.over(this.tables.accounts.get(id)?.properties ?? {}, request);
    return right({ id, attr });
  }

  /** The id of the account, if its path leads into properties that the data has. */
  private listedAccount({ resource }: EvaluationRequest, path: RequestPath): JsonValue | undefined {
    const [part, properties, name, ...deeper] = path;
    if (part !== "resource" || properties !== "properties" || name === undefined || deeper.length > 0) return undefined;
    const listed = this.tables.resources.find(resource.type, resource.id)?.properties ?? {};
    return Object.hasOwn(listed, name) ? listed[name] : undefined;
  }

  /**
   * Compares the attributes of the request with the JSON Schemas of the policies: an attribute of another type is a fault,
   * and an attribute that a schema does not know is left out. Attributes of the data are not the caller's.
   */
  private typed(
    { permission, platform }: PolicySet,
    request: EvaluationRequest,
    asked: PermissionRequest,
  ): Either<AuthzenFault, PermissionRequest> {
    let known = asked;
    for (const [layer, principal] of [[permission, "key"] as const, [platform, "account"] as const]) {
      if (layer === undefined) continue;
      const faults = faultsOf(layer, principal, known);
      for (const { path, source, message } of faults) {
        const attribute = attributeAt(path);
        if (attribute === undefined || isAboutUnknown(message)) continue;
        const place = this.placeOf(request, source === "resource" ? "resource" : principal, attribute);
        if (place !== undefined) return badRequest(`${place} is not of the type that the policies declare`);
      }
      for (const part of [principal, "resource"] as const) {
        const hasUnknown = faults.some(({ source, message }) => source === sourceOf(part) && isAboutUnknown(message));
        if (hasUnknown) known = this.withoutUnknown(layer, principal, part, request, known);
      }
    }
    return right(known);
  }

  /** The place in the request that an attribute comes from; undefined if it comes from the data. */
  private placeOf(request: EvaluationRequest, part: Part, attribute: string): string | undefined {
    const declared = this.declared[part].placeOf(attribute);
    const entity = PROPERTIES[part];
    if (declared !== undefined || entity === undefined) return declared;
    return Object.hasOwn(request[entity].properties, attribute) ? `${entity}.properties.${attribute}` : undefined;
  }

  private withoutUnknown(
    layer: Layer,
    principal: PrincipalSubject,
    part: Part,
    request: EvaluationRequest,
    asked: PermissionRequest,
  ): PermissionRequest {
    const known = Object.entries(attributesOf(asked, part)).filter(([name, value]) => {
      if (this.placeOf(request, part, name) === undefined) return true;
      const alone = withAttributes(asked, part, { [name]: value });
      return !faultsOf(layer, principal, alone).some(
        ({ source, path, message }) =>
          source === sourceOf(part) && (attributeAt(path) ?? name) === name && isAboutUnknown(message),
      );
    });
    return withAttributes(asked, part, Object.fromEntries(known));
  }
}

/** The part of a request that is a layer's principal. */
type PrincipalSubject = Exclude<Part, "resource">;

function sourceOf(part: Part): ValidationError["source"] {
  return part === "resource" ? "resource" : "principal";
}

function attributesOf(asked: PermissionRequest, part: Part): JsonObject {
  return asked[part]?.attr ?? {};
}

function withAttributes(asked: PermissionRequest, part: Part, attr: JsonObject): PermissionRequest {
  return { ...asked, [part]: { ...asked[part], attr } };
}

function faultsOf(layer: Layer, principal: PrincipalSubject, asked: PermissionRequest): readonly ValidationError[] {
  const { kind, id } = asked.resource;
  const resource = { kind, id, attr: attributesOf(asked, "resource"), scope: "" };
  return layer.schemaFaults({ attr: attributesOf(asked, principal) }, resource, asked.operation);
}

/** The attribute that a JSON pointer leads to, or into; undefined for all attributes. */
function attributeAt(pointer: string): string | undefined {
  const [, token = ""] = pointer.split("/");
  return token === "" ? undefined : decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
}

/** True if a schema does not know an attribute, or a member of one. */
function isAboutUnknown(message: string): boolean {
  return message === "not allowed" || message.startsWith("additionalProperties ");
}

function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).length === 0;
}
