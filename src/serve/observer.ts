/** Observes a decision point: for Prometheus, and for OpenTelemetry. */

import type { IncomingMessage, ServerResponse } from "node:http";

export interface ServiceObserver {
  /** Called at the start of a request. Calls of the result: at its end, with the error if the program failed. */
  started(incoming: IncomingMessage, outgoing: ServerResponse): (error?: unknown) => void;
  /** `outcome`: of a decision; for Cerbos's API, the effect of an action. */
  decided(api: "authzen" | "cerbos", outcome: string): void;
  /** `result`: a change of the policies was taken over, held or refused. */
  reloaded(result: string): void;
  /** The hash of the policies in force. */
  inForce(hash: string): void;
}

/** Tells several observers. Undefined if there are none. */
export function observerOf(observers: readonly ServiceObserver[]): ServiceObserver | undefined {
  const [first, ...others] = observers;
  if (others.length === 0) return first;
  return {
    started(incoming, outgoing) {
      const ends = observers.map((observer) => observer.started(incoming, outgoing));
      return (error) => {
        for (const end of ends) end(error);
      };
    },
    decided(api, outcome) {
      for (const observer of observers) observer.decided(api, outcome);
    },
    reloaded(result) {
      for (const observer of observers) observer.reloaded(result);
    },
    inForce(hash) {
      for (const observer of observers) observer.inForce(hash);
    },
  };
}

/** The endpoints that are counted by name. Callers could invent any number of other paths. */
const ENDPOINTS: ReadonlySet<string> = new Set([
  "/access/v1/evaluation",
  "/access/v1/evaluations",
  "/access/v1/search/subject",
  "/access/v1/search/resource",
  "/access/v1/search/action",
  "/api/check/resources",
  "/api/plan/resources",
]);

/** The endpoint of a request, without its query; undefined for another path. */
export function endpointOf({ url = "" }: IncomingMessage): string | undefined {
  const [path = ""] = url.split("?", 1);
  return ENDPOINTS.has(path) ? path : undefined;
}
