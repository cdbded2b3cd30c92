/** A typed program that answers the operations over HTTP, for each of the frameworks. */

import { capital } from "../../audit/capital.js";
import { an, type DomainOperation, operationsOf, type PolicyDomain } from "./domain.js";
import { FRAMEWORK_CODE, type Framework } from "./frameworks.js";

export function handlerText(domain: PolicyDomain, framework: Framework): string {
  const { kind, noun, nouns } = domain;
  const code = FRAMEWORK_CODE[framework];
  const [lists, created] = [operationsOf(domain, "list"), operationsOf(domain, "create")];
  const existing = operationsOf(domain, "read", "write", "delete");
  const has = { lists: lists.length > 0, created: created.length > 0, existing: existing.length > 0 };
  const isGuarded = has.created || has.existing;
  return `/**
 * The operations on ${nouns} over HTTP: POST /v1/OPERATION, with a JSON object as the body. Each one is decided before it is
 * performed, on the present state of the key, the ${noun} and its account.
 */

${imports(framework, has, isGuarded)}
export type Key = KeyOf<Policies>;
export type Resource = ResourceOf<Policies, "${kind}">;
export type Account = AccountOf<Policies>;
${isGuarded ? single([...existing, ...created]) : ""}
/** The data of the service, and the work that it does: yours. */
export interface Service {
  /** The key with this secret, read anew for each request. */
  findKey(secret: string): Promise<Key | undefined>;
  /** An account, with its present usage. */
  findAccount(id: string): Promise<Account>;
${has.existing ? `  /** ${capital(an(noun))} in its present state, if it belongs to the account. */\n  find(id: string, accountId: string): Promise<Resource | undefined>;\n` : ""}${has.lists ? `  /** The ${nouns} in a filter: \`toSqlOrThrow\` of keyward/sql makes a condition of it. The body may ask for a page. */\n  findAll(filter: Filter, body: JsonBody): Promise<readonly Resource[]>;\n` : ""}${isGuarded ? "  /** The work of each operation, after it was allowed. The result is the body of the response. */\n  readonly perform: { readonly [operation in SingleOperation]: (resource: Resource, body: JsonBody) => Promise<object> };\n" : ""}  /** Errors of which the caller learns nothing. */
  onError(error: unknown): void;
}

/** \`docsUrl\` is the host of your documentation, without a scheme: errors point there. */
export function createApp(policies: PolicySet<Policies>, service: Service, docsUrl: string): ${code.app} {
  const onError = (error: unknown) => service.onError(error);

  const callersKey = async (request: ${code.request}): Promise<Key> => {
    const secret = bearerKey(${code.fields});
    const key = secret._tag === "Right" ? await service.findKey(secret.right) : undefined;
    if (key === undefined) throw new ApiError(UNAUTHENTICATED);
    return key;
  };
${has.existing ? existingResource(code.request) : ""}${has.created ? newResource(domain, code.request) : ""}
${code.create}${isGuarded ? guardedRoutes(framework) : ""}${has.lists ? listRoutes(kind, framework) : ""}
${existing.map(({ name }) => `  answer("${name}", existing);\n`).join("")}${created.map(({ name }) => `  answer("${name}", created);\n`).join("")}${lists.map(({ name }) => `  answerList("${name}");\n`).join("")}${code.end}
  return app;
}
`;
}

interface Used {
  readonly lists: boolean;
  readonly created: boolean;
  readonly existing: boolean;
}

/** Exactly the imports that the program needs, so that strict compilers accept it. */
function imports(framework: Framework, { lists, created, existing }: Used, isGuarded: boolean): string {
  const code = FRAMEWORK_CODE[framework];
  const fromKeyward = [
    "type AccountOf",
    ...(isGuarded ? ["type DecisionRequest", "decide"] : []),
    ...(lists ? ["decideAll", "type Filter"] : []),
    "type KeyOf",
    ...(lists ? ["type OperationOf"] : []),
    "type PolicySet",
    ...(lists ? ["planDecisions"] : []),
    "type ResourceOf",
  ];
  const fromHttp = [
    "ApiError",
    "bearerKey",
    ...(existing ? ["INVALID_BODY"] : []),
    "type JsonBody",
    ...(existing ? ["NOT_FOUND"] : []),
    "UNAUTHENTICATED",
  ];
  const fromAdapter = ["answerErrors", ...(isGuarded ? ["authorize", ...code.decided] : []), "jsonBody"];
  return `${created ? 'import { randomUUID } from "node:crypto";\n' : ""}${code.imports}import {
${fromKeyward.map((name) => `  ${name},\n`).join("")}} from "keyward";
import { ${fromHttp.join(", ")} } from "keyward/http";
import { ${fromAdapter.join(", ")} } from "keyward/http/${framework}";
import type { Policies } from "./policies.js";
`;
}

function single(operations: readonly DomainOperation[]): string {
  return `
/** The operations on a single resource. */
type SingleOperation =
${operations.map(({ name }) => `  | "${name}"`).join("\n")};
`;
}

function existingResource(request: string): string {
  return `
  /** The resource that the body names by its \`id\`. */
  const existing = async (request: ${request}, key: Key): Promise<Resource> => {
    const { id } = await jsonBody(request);
    if (typeof id !== "string") throw new ApiError({ ...INVALID_BODY, detail: "The request body has no string id" });
    const resource = await service.find(id, key.attr.accountId);
    if (resource === undefined) throw new ApiError(NOT_FOUND);
    return resource;
  };
`;
}

function newResource({ kind }: PolicyDomain, request: string): string {
  return `
  /** The resource that is to be created, in the account of the key. */
  const created = async (_: ${request}, key: Key): Promise<Resource> => ({
    kind: "${kind}",
    id: randomUUID(),
    attr: { accountId: key.attr.accountId, state: "active" },
  });
`;
}

function guardedRoutes(framework: Framework): string {
  const { request, routeStart, routeEnd } = FRAMEWORK_CODE[framework];
  return `
  const answer = (
    operation: SingleOperation,
    resource: (request: ${request}, key: Key) => Promise<Resource>,
  ) => {
    const allowed = authorize({
      docsUrl,
      decide: (asked: DecisionRequest<Policies>) => decide(policies, asked),
      key: callersKey,
      operation,
      resource: (request: ${request}, { key }) => resource(request, key),
      account: (_, { resource }) => service.findAccount(resource.attr.accountId),
      onError,
    });
    ${routeStart}
      ${routeEnd}
    });
  };
`;
}

function listRoutes(kind: string, framework: Framework): string {
  const { listStart, listEnd } = FRAMEWORK_CODE[framework];
  return `
  const answerList = (operation: OperationOf<Policies>) => {
    ${listStart}
      const key = await callersKey(request);
      const account = await service.findAccount(key.attr.accountId);
      const plan = planDecisions(policies, { key, account, operation, kind: "${kind}" });
      if (plan.fault !== undefined) throw new Error(plan.fault.message);
      const body = await jsonBody(request);
      const found = plan.outcome === "none" ? [] : await service.findAll(plan.filter, body);
      // A filter can be wider than the decisions: see \`isExact\`.
      const decisions = decideAll(policies, { key, account, operation }, found);
      const resources = found.filter((_, i) => decisions[i]?.outcome === "allow");
      ${listEnd}
    });
  };
`;
}
