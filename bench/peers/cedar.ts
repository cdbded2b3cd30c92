/** Cedar's engine, in WebAssembly. */

import { setFlagsFromString } from "node:v8";
import type { JsonValue } from "../../src/index.js";
import { installed, versionOf } from "./packages.js";

const NAME = "@cedar-policy/cedar-wasm";

export const CEDAR = `Cedar ${versionOf(NAME)} (WebAssembly)`;

export interface Uid {
  readonly type: string;
  readonly id: string;
}

export interface Entity {
  readonly uid: Uid;
  readonly attrs: { readonly [name: string]: JsonValue };
  readonly parents: readonly Uid[];
}

export interface Question {
  readonly principal: Uid;
  readonly action: string;
  readonly resource: Uid;
  readonly entities: readonly Entity[];
}

/**
 * Policies are parsed in advance. Entities travel as JSON with each question, since the interface has no other way. An
 * answer with errors is rejected: the errors could hide that an entity lacks an attribute.
 */
export async function cedarOf(policies: string, name: string): Promise<(question: Question) => boolean> {
  // Node 20 crashes when it inlines a call of this engine and then deoptimizes the code ("unreachable code" in its
  // deoptimizer). Without inlining, a call takes some nanoseconds more. The flag is set here only, since it would
  // change the results of other benchmarks.
  setFlagsFromString("--no-turbo-inline-js-wasm-calls");
  const { preparsePolicySet, statefulIsAuthorized } = await installed(`${NAME}/nodejs`);
  if (typeof preparsePolicySet !== "function" || typeof statefulIsAuthorized !== "function") {
    throw new Error(`no ${NAME}`);
  }
  const parsed = preparsePolicySet(name, { staticPolicies: policies });
  if (parsed.type !== "success") throw new Error(JSON.stringify(parsed));
  return ({ principal, action, resource, entities }) => {
    const answer = statefulIsAuthorized({
      principal,
      action: { type: "Action", id: action },
      resource,
      context: {},
      preparsedPolicySetId: name,
      entities,
    });
    if (answer.type !== "success" || answer.response.diagnostics.errors.length > 0) {
      throw new Error(JSON.stringify(answer));
    }
    return answer.response.decision === "allow";
  };
}
