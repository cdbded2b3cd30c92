/**
 * The topics. `test/recorded/TOPIC` has `policies` (or the name of a topic that has them) and `questions.yaml`.
 * `npm run record` writes the answers of the Cerbos server 0.55.0: `answers.json` for checks, and `plans.json` for the same
 * questions with few known attributes of the resource.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { isObject, type JsonObject } from "../differential/json.js";
import { unsigned } from "../differential/requests.js";
import type { PlanQuestion } from "../query/differential.js";

export const RECORDED = "test/recorded";

/** Options of the server's configuration. */
export interface Options {
  readonly lenientScopeSearch?: boolean;
  readonly strictEvaluation?: boolean;
  readonly schemaEnforcement?: "none" | "warn" | "reject";
  readonly globals?: JsonObject;
}

interface NamedClaims {
  readonly [token: string]: JsonObject;
}

/** `bodies` are complete requests. Otherwise each principal asks about all resources and all actions. */
interface Questions {
  readonly options?: Options;
  /** The topic that has the policies. Default: this topic. */
  readonly of?: string;
  readonly principals?: { readonly [name: string]: JsonObject };
  readonly resources?: { readonly [name: string]: JsonObject };
  readonly actions?: readonly string[];
  /**
   * `claims`: the claims of each principal's token, by principal. `named`: those of named tokens, by principal and
   * token.
   */
  readonly claims?: { readonly [name: string]: JsonObject };
  readonly named?: { readonly [name: string]: NamedClaims };
  readonly bodies?: { readonly [name: string]: JsonObject };
}

export interface Topic {
  readonly name: string;
  readonly directory: string;
  readonly options: Options;
  /** The path of the policies' directory. */
  readonly policies: string;
  /** CheckResources requests, by name. */
  readonly requests: ReadonlyMap<string, JsonObject>;
  /** PlanResources requests, by name. */
  readonly plans: ReadonlyMap<string, PlanQuestion>;
}

export function topics(): readonly Topic[] {
  return readdirSync(RECORDED, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => {
      const directory = join(RECORDED, name);
      const questions: Questions = parse(readFileSync(join(directory, "questions.yaml"), "utf8"));
      const { options = {}, of = name } = questions;
      const policies = join(RECORDED, of, "policies");
      return { name, directory, options, policies, requests: requestsOf(questions), plans: plansOf(questions) };
    });
}

export function answersFile({ directory }: Topic): string {
  return join(directory, "answers.json");
}

export function plansFile({ directory }: Topic): string {
  return join(directory, "plans.json");
}

/**
 * Each principal asks about each resource: one action with no known attributes, then two actions with some of them
 * known.
 */
function plansOf({ principals = {}, resources = {}, actions = [], ...tokens }: Questions) {
  const plans = new Map<string, PlanQuestion>();
  for (const [p, [who, principal]] of Object.entries(principals).entries()) {
    const claims = tokens.claims?.[who] ?? {};
    const named = Object.fromEntries(
      Object.entries(tokens.named?.[who] ?? {}).map(([name, its]) => [name, { claims: its }]),
    );
    for (const [r, [what, { id: _, attr, ...resource }]] of Object.entries(resources).entries()) {
      const at = (i: number) => actions[(p + r + i) % actions.length] ?? "";
      const known = Object.entries(isObject(attr) ? attr : {}).filter((_one, i) => (i + p) % 2 === 0);
      const body = {
        requestId: who,
        includeMeta: true,
        principal,
        ...auxData(tokens.claims?.[who], tokens.named?.[who]),
      };
      plans.set(`${who}: ${what}`, { body: { ...body, action: at(0), resource }, claims, named });
      plans.set(`${who}: ${what} in part`, {
        body: { ...body, actions: [at(1), at(3)], resource: { ...resource, attr: Object.fromEntries(known) } },
        claims,
        named,
      });
    }
  }
  return plans;
}

function requestsOf({ principals = {}, resources = {}, actions = [], bodies, ...tokens }: Questions) {
  if (bodies !== undefined) return new Map(Object.entries(bodies));
  const all = Object.values(resources).map((resource) => ({ actions: [...actions], resource }));
  return new Map(
    Object.entries(principals).map(([name, principal]): [string, JsonObject] => {
      const body: JsonObject = { requestId: name, includeMeta: true, principal, resources: all };
      return [name, { ...body, ...auxData(tokens.claims?.[name], tokens.named?.[name]) }];
    }),
  );
}

function auxData(claims: JsonObject | undefined, named: NamedClaims | undefined): JsonObject {
  if (claims !== undefined) return { auxData: { jwt: { token: unsigned(claims) } } };
  if (named === undefined) return {};
  const jwts = Object.entries(named).map(([token, its]) => [token, { token: unsigned(its) }]);
  return { auxData: { jwts: Object.fromEntries(jwts) } };
}
