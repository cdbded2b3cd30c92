/**
 * `keyward/authzen`: the OpenID AuthZEN Authorization API 1.0, answered from policies. It needs the Fetch API and WebCrypto,
 * and nothing of Node. See docs/authzen.md.
 */

export type { AuthzenAccount, AuthzenData, AuthzenResource, AuthzenSubject } from "./data.js";
export type { EvaluationRequest, RequestAction, RequestEntity } from "./entities.js";
export { type AuthzenCaller, type AuthzenOptions, authzenHandler } from "./handler.js";
export type { AuthzenLimits } from "./limits.js";
export type { AuthzenMapping } from "./mapping.js";
export type { AuthzenDecision } from "./recorded.js";
