/** The same store and the same requests in this process, through the API's own messages. */

import { fromJson, toJson } from "@bufbuild/protobuf";
import { CheckResourcesRequestSchema } from "@cerbos/api/cerbos/request/v1/request_pb";
import { CheckResourcesResponseSchema } from "@cerbos/api/cerbos/response/v1/response_pb";
import * as E from "fp-ts/lib/Either.js";
import { Timestamp } from "../../src/cel/values.js";
import { checkResources } from "../../src/cerbos/check-resources.js";
import { type CheckEngine, compileCheckEngine } from "../../src/cerbos/engine.js";
import { requestFault } from "../../src/cerbos/request-faults.js";
import { check } from "../../src/engine/evaluate/check.js";
import { ResourceWalk } from "../../src/engine/check/resource-walk.js";
import type { PolicyIssue } from "../../src/policy/issue.js";
import type { JsonObject } from "./json.js";
import type { GeneratedRequest } from "./requests.js";
import type { Store } from "./store.js";

/** An answer, and for each resource the actions for which some role was refused by a rule: see {@link watched}. */
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

  check({ body, claims }: GeneratedRequest): LocalAnswer {
    const request = fromJson(CheckResourcesRequestSchema, body);
    const fault = requestFault(request, { maxActionsPerResource: 50, maxResourcesPerRequest: 50 });
    if (fault !== undefined) return { body: { status: 400, message: fault }, cuts: [] };
    const context = { now: now(), jwt: claims ?? {}, callId: "local" };
    const watch = watched(() => toJson(CheckResourcesResponseSchema, checkResources(this.engine, request, context)));
    return { body: watch.value as JsonObject, cuts: cutsByResource(watch.cuts, request.resources.length, body) };
  }

  /** Whether a condition errs in some check of a request. */
  errs({ body, claims }: GeneratedRequest): boolean {
    const { principal, resources } = fromJson(CheckResourcesRequestSchema, body);
    if (principal === undefined) return false;
    const plain = body as { principal: { attr: JsonObject }; resources: { resource: { attr: JsonObject } }[] };
    return resources.some(({ resource, actions }, i) => {
      if (resource === undefined) return false;
      const { table, options } = this.engine;
      const input = {
        principal: { ...principal, attr: plain.principal.attr },
        resource: { ...resource, attr: plain.resources[i]?.resource.attr ?? {} },
        actions,
        jwt: claims ?? {},
        now: now(),
      };
      return check(table, input, options).failures.length > 0;
    });
  }
}

function now(): Timestamp {
  const millis = Date.now();
  return new Timestamp(Math.floor(millis / 1000), (millis % 1000) * 1_000_000);
}

/**
 * Where a DENY rule holds, the server examines no further rules for that role, and the order in which it examines
 * them is random: which outputs it reports is then no part of the answer (reference §2.13.5).
 */
function watched<T>(run: () => T): { readonly value: T; readonly cuts: readonly Cut[] } {
  const cuts: Cut[] = [];
  const original = ResourceWalk.prototype.role;
  ResourceWalk.prototype.role = function watching(role, action) {
    const ruling = original.call(this, role, action);
    if (ruling?.effect === "deny") cuts.push({ walk: this, action });
    return ruling;
  };
  try {
    return { value: run(), cuts };
  } finally {
    ResourceWalk.prototype.role = original;
  }
}

interface Cut {
  readonly walk: ResourceWalk;
  readonly action: string;
}

function cutsByResource(
  cuts: readonly Cut[],
  count: number,
  { resources }: JsonObject,
): readonly ReadonlySet<string>[] {
  const walks = [...new Set(cuts.map(({ walk }) => walk))];
  const session = (walk: ResourceWalk) => Reflect.get(walk, "session") as { input: { actions: readonly string[] } };
  const entries = Array.isArray(resources) ? resources : [];
  // Walks are made in the order of the resources; those without a cut are not seen, so they are told apart by input.
  const inputs = walks.map((walk) => session(walk).input);
  return Array.from({ length: count }, (_, i) => {
    const wanted = JSON.stringify((entries[i] as JsonObject).actions);
    const actions = cuts.filter(({ walk }) => {
      const input = inputs[walks.indexOf(walk)];
      return input !== undefined && JSON.stringify(input.actions) === wanted;
    });
    return new Set(actions.map(({ action }) => action));
  });
}
