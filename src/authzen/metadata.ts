/** The endpoints, and the metadata that names them. */

import type { JsonObject } from "../cel/json.js";
import type { SearchedPart } from "./search.js";

export const WELL_KNOWN = "/.well-known/authzen-configuration";

export interface Endpoint {
  /** Its name in the metadata. */
  readonly name: string;
  readonly path: string;
  /** True if it takes several evaluations. */
  readonly isBatch?: boolean;
  /** The part that it searches for; absent if it evaluates. */
  readonly part?: SearchedPart;
}

export const ENDPOINTS: readonly Endpoint[] = [
  { name: "access_evaluation_endpoint", path: "/access/v1/evaluation" },
  { name: "access_evaluations_endpoint", path: "/access/v1/evaluations", isBatch: true },
  { name: "search_subject_endpoint", path: "/access/v1/search/subject", part: "subject" },
  { name: "search_resource_endpoint", path: "/access/v1/search/resource", part: "resource" },
  { name: "search_action_endpoint", path: "/access/v1/search/action", part: "action" },
];

/** `base`: the address of the decision point, without a final `/`. */
export function metadataOf(base: string): JsonObject {
  const endpoints = ENDPOINTS.map(({ name, path }) => [name, base + path]);
  return { policy_decision_point: base, ...Object.fromEntries(endpoints) };
}

/** Addresses of this machine, at which `http` is allowed. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** The base of the endpoints. Throws a `TypeError` for an address that the standard does not allow. */
export function baseOf(text: string): { readonly origin: string; readonly pathname: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname));
  if (url === undefined || !isSafe || url.search !== "" || url.hash !== "" || url.username !== "") {
    throw new TypeError("baseUrl must be an https address without a query, a fragment and credentials");
  }
  return { origin: url.origin, pathname: url.pathname.replace(/\/$/, "") };
}
