/** The table of methods: what a guard does with the requests of a server that are not about tools. */

import type { PolicyTypes } from "../decisions/policy-types.js";
import { GUARDED_METHODS } from "./mcp-server.js";
import type { ToolMapping } from "./tool-decisions.js";

/**
 * By the name of the method: `open` methods are handled without a decision. Requests of the others are decided; the
 * arguments of `resource` are the parameters of the request. A method that is not in the table is refused as unknown.
 */
export interface MethodTable<T extends PolicyTypes = PolicyTypes> {
  readonly [method: string]: "open" | ToolMapping<T>;
}

/** Methods that open a session or keep it: they neither read nor change anything of the service. */
export const PROTOCOL_METHODS: { readonly [method: string]: "open" } = Object.freeze({
  initialize: "open",
  ping: "open",
  "logging/setLevel": "open",
  "server/discover": "open",
  "subscriptions/listen": "open",
});

/** Throws a `TypeError` for a table that decides on tools, or has a rule of another form. */
export function checkMethods(methods: MethodTable): void {
  for (const [method, rule] of Object.entries(methods)) {
    if (GUARDED_METHODS.some((one) => one === method))
      throw new TypeError(`${method} is decided by tools, not by methods`);
    const isMapping = typeof rule === "object" && rule !== null && typeof rule.resource === "function";
    if (rule !== "open" && !isMapping) throw new TypeError(`methods: ${method} must be "open" or a mapping`);
  }
}
