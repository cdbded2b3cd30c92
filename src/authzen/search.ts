/**
 * Searches: the subjects, resources or actions that single evaluations allow, page by page.
 *
 * A result is in a search if and only if an evaluation with it, and with the other parts of the search, allows it.
 */

import { type Either, isLeft, right } from "fp-ts/lib/Either.js";
import { canonicalText } from "../cel/canonical-text.js";
import { isObject, type JsonObject } from "../cel/json.js";
import { actionsOn } from "../engine/plan/questions.js";
import { targetsOf } from "../engine/plan/targets.js";
import { policiesOfVersion } from "../policy/all-policies.js";
import type { EntityTables } from "./data.js";
import { type EvaluationFields, type EvaluationRequest, evaluationIn, own } from "./entities.js";
import { allowed, type DecisionPoint } from "./evaluation.js";
import { partsOf } from "./evaluations.js";
import { type AuthzenFault, badRequest } from "./fault.js";
import type { PageTokens } from "./page-tokens.js";

export type SearchedPart = "subject" | "resource" | "action";

/** A possible result: its form in the answer, and the evaluation that decides on it. */
interface Candidate {
  readonly result: JsonObject;
  readonly request: EvaluationRequest;
}

/** The needs of searches beside the decision point. */
export interface SearchContext {
  readonly tables: EntityTables;
  readonly tokens: PageTokens;
  /** The most results on a page. */
  readonly most: number;
}

/** The answer to the body of a search. */
export async function searched(
  point: DecisionPoint,
  part: SearchedPart,
  body: JsonObject,
  { tables, tokens, most }: SearchContext,
): Promise<Either<AuthzenFault, JsonObject>> {
  const candidates = candidatesOf(point, part, body, tables);
  if (isLeft(candidates)) return candidates;
  const page = pageIn(body);
  if (isLeft(page)) return page;
  const { limit, token } = page.right;
  const search = searchText(part, body, candidates.right);
  const start = token === "" ? 0 : await tokens.startIn(token, search);
  if (start === undefined) return badRequest("page.token is not a token of this search");
  const size = Math.min(limit ?? most, most);
  const found = await allowedFrom(point, candidates.right, start, size);
  if (isLeft(found)) return found;
  const { results, next } = found.right;
  const next_token = next === undefined ? "" : await tokens.tokenAt(next, search);
  return right({ results, page: { next_token, count: results.length } });
}

interface SearchPage {
  readonly results: readonly JsonObject[];
  /** The index of the next candidate that is allowed; undefined if there is none. */
  readonly next: number | undefined;
}

/** Other requests are answered in between: one search can be about very many candidates. */
const AT_ONCE = 1_000;

async function allowedFrom(
  point: DecisionPoint,
  candidates: readonly Candidate[],
  start: number,
  size: number,
): Promise<Either<AuthzenFault, SearchPage>> {
  const results: JsonObject[] = [];
  for (const [i, { result, request }] of candidates.entries()) {
    if (i < start) continue;
    if ((i - start) % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setTimeout(resolve));
    const answer = allowed(point, request);
    if (isLeft(answer)) return answer;
    if (!answer.right) continue;
    if (results.length === size) return right({ results, next: i });
    results.push(result);
  }
  return right({ results, next: undefined });
}

interface PageRequest {
  readonly limit: number | undefined;
  /** `""`: the first page. */
  readonly token: string;
}

function pageIn(body: JsonObject): Either<AuthzenFault, PageRequest> {
  const page = own(body, "page");
  if (page === undefined) return right({ limit: undefined, token: "" });
  if (!isObject(page)) return badRequest("page must be an object");
  const limit = own(page, "limit");
  if (limit !== undefined && !(typeof limit === "number" && Number.isInteger(limit) && limit > 0)) {
    return badRequest("page.limit must be a whole number of 1 or more");
  }
  const token = own(page, "token") ?? "";
  if (typeof token !== "string" || own(page, "token") === null) return badRequest("page.token must be a string");
  return right({ limit, token });
}

/** A text that differs for another search, and for other candidates. The size of the pages may change. */
function searchText(part: SearchedPart, body: JsonObject, candidates: readonly Candidate[]): string {
  return canonicalText([part, partsOf(body), candidates.map(({ result }) => result)]);
}

function candidatesOf(
  point: DecisionPoint,
  part: SearchedPart,
  body: JsonObject,
  tables: EntityTables,
): Either<AuthzenFault, readonly Candidate[]> {
  const read = evaluationIn(withPlaceholder(partsOf(body), part));
  if (isLeft(read)) return read;
  const request = read.right;
  if (part === "action") {
    const { model, permission } = point.policies;
    // Patterns name no action.
    const { names } = actionsOn(targetsOf(policiesOfVersion(model, permission.version)), request.resource.type);
    return right(
      names.map((name) => ({ result: { name }, request: { ...request, action: { ...request.action, name } } })),
    );
  }
  const { type } = request[part];
  const entities = part === "subject" ? tables.subjects.ofType(type) : tables.resources.ofType(type);
  return right(
    entities.map(({ id }) => ({ result: { type, id }, request: { ...request, [part]: { ...request[part], id } } })),
  );
}

/** The parts of a search as those of an evaluation: the id or name of the searched part is ignored, so any will do. */
function withPlaceholder(fields: EvaluationFields, part: SearchedPart): EvaluationFields {
  const sought = fields[part];
  if (part === "action" && sought === undefined) return { ...fields, action: { name: PLACEHOLDER } };
  if (!isObject(sought)) return fields;
  return { ...fields, [part]: { ...sought, [part === "action" ? "name" : "id"]: PLACEHOLDER } };
}

const PLACEHOLDER = "-";
