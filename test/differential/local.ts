/** Answers the same requests in this process, with the same store and the API's own messages. */

import { fromJson } from "@bufbuild/protobuf";
import { type CheckResourcesRequest, CheckResourcesRequestSchema } from "@cerbos/api/cerbos/request/v1/request_pb";
import * as E from "fp-ts/lib/Either.js";
import { Timestamp } from "../../src/cel/values.js";
import { checkResourcesJson } from "../../src/cerbos/check-resources.js";
import { type CheckEngine, compileCheckEngine } from "../../src/cerbos/engine.js";
import { namedTokens } from "../../src/cerbos/named-tokens.js";
import { requestFault } from "../../src/cerbos/request-faults.js";
import { check } from "../../src/engine/evaluate/check.js";
import type { CheckResult } from "../../src/engine/evaluate/check-types.js";
import type { PolicyIssue } from "../../src/policy/issue.js";
import type { JsonObject } from "./json.js";
import type { GeneratedRequest } from "./requests.js";
import type { Store } from "./store.js";

/** An answer, and for each resource the actions that a rule denies for some role: see {@link cutsOf}. */
export interface LocalAnswer {
  readonly body: JsonObject;
  readonly cuts: readonly ReadonlySet<string>[];
}

export class LocalStore {
  private readonly engine: CheckEngine;

  private constructor(engine: CheckEngine) {
    this.engine = engine;
  }

  static load({ files, options }: Store): LocalStore | readonly PolicyIssue[] {
    const texts = Object.entries(files).map(([path, body]) => ({
      path: path.replace(/^policies\//, ""),
      text: JSON.stringify(body, null, 2),
    }));
    const compiled = compileCheckEngine(texts, options);
    return E.isLeft(compiled) ? compiled.left : new LocalStore(compiled.right);
  }

  check(generated: GeneratedRequest): LocalAnswer {
    const request = messageOf(generated);
    const fault = requestFault(request, { maxActionsPerResource: 50, maxResourcesPerRequest: 50 });
    if (fault !== undefined) return { body: { status: 400, message: fault }, cuts: [] };
    const { claims, named } = generated;
    const context = { now: now(), jwt: claims ?? {}, jwts: named, callId: "local" };
    return {
      body: checkResourcesJson(this.engine, request, context),
      cuts: this.results(generated).map(cutsOf),
    };
  }

  /** Does a condition err in any check of the request? */
  errs(request: GeneratedRequest): boolean {
    return this.results(request).some(({ errors }) => errors.length > 0);
  }

  /** Is the action denied because of an error? */
  isError(request: GeneratedRequest, resource: number, action: string): boolean {
    const { walked } = this.results(request)[resource]?.actions.get(action) ?? {};
    const rulings = walked === undefined ? [] : [walked.personal, ...walked.roles];
    return rulings.some((ruling) => ruling !== undefined && ruling.erred.length > 0);
  }

  private results(generated: GeneratedRequest): readonly CheckResult[] {
    const { body, claims, named } = generated;
    const { principal, resources } = messageOf(generated);
    if (principal === undefined) return [];
    const plain = body as { principal: { attr: JsonObject }; resources: { resource: { attr: JsonObject } }[] };
    return resources.flatMap(({ resource, actions }, i) => {
      if (resource === undefined) return [];
      const { policies, options } = this.engine;
      const input = {
        principal: { ...principal, attr: plain.principal.attr ?? {} },
        resource: { ...resource, attr: plain.resources[i]?.resource.attr ?? {} },
        actions,
        jwt: claims ?? {},
        jwts: named,
        now: now(),
      };
      return [check(policies, input, options)];
    });
  }
}

/** The request as a message of the API's package, which has no field for named tokens yet. */
function messageOf({ body }: GeneratedRequest): CheckResourcesRequest {
  const read = namedTokens(body);
  if (E.isLeft(read)) throw new Error(read.left);
  return fromJson(CheckResourcesRequestSchema, read.right.request);
}

/**
 * Where a DENY rule holds, the server examines no further rules for that role. Which outputs of those rules it reports
 * is not compared.
 */
function cutsOf({ actions }: CheckResult): ReadonlySet<string> {
  const cut = [...actions].filter(([, { walked }]) => walked?.roles.some((ruling) => ruling?.effect === "deny"));
  return new Set(cut.map(([action]) => action));
}

function now(): Timestamp {
  const millis = Date.now();
  return new Timestamp(Math.floor(millis / 1000), (millis % 1000) * 1_000_000);
}
