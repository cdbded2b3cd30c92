/** Decisions by Cerbos servers: the same policies and the same `Decision`s, in another process. */

import type { CheckResourcesRequest, CheckResourcesResponse, RequestOptions } from "@cerbos/core";
import { type Either, isLeft, right } from "fp-ts/lib/Either.js";
import { denyWithoutPolicies, isPolicySet } from "../../decisions/no-policies.js";
import { decisionOf } from "../../decisions/outcome.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { PolicyTypes } from "../../decisions/policy-types.js";
import type { AskOptions, DecisionFailure, DecisionTask, RemoteDecide } from "../../decisions/remote-decide.js";
import type { PermissionRequest } from "../../decisions/types.js";
import type { LayerVerdict } from "../../engine/plan/verdict.js";
import { ANY, checkOptions, MAX_DELAY, type OptionTable } from "../../policy/options.js";
import { type AnsweringLayer, rulesBySource, verdictOf } from "./answer.js";
import { type Judgement, LocalJudge, type ServerQuestion } from "./local-judge.js";
import { snapshotOf } from "./snapshot.js";
import { withTimeout } from "./with-timeout.js";

/** The part of a client of `@cerbos/core` (`GRPC`, `HTTP`, `EmbeddedClient`) that decisions use. */
export interface CheckClient {
  checkResources(request: CheckResourcesRequest, options?: RequestOptions): Promise<CheckResourcesResponse>;
}

export interface RemoteDeciderOptions {
  /** How long to wait for the server, in milliseconds, for both layers together. Default: 1,000. */
  readonly timeoutMs?: number;
}

const REMOTE_DECIDER_OPTIONS = { timeoutMs: ANY } satisfies OptionTable<RemoteDeciderOptions>;

/**
 * `decide` by Cerbos servers that have the same policy files as `policies` (docs/embedding.md says how to configure the
 * server).
 *
 * A call has one principal, and each layer has its own, so a decision makes two calls in parallel. With a permission-only
 * set it makes one. The result is a task that never rejects. Left: why there is no decision. Answer that with 503, never
 * with 403 and never as if the request were allowed.
 *
 * A request is denied here, and not sent, in three cases: attributes are not JSON (or nested more than 32 deep);
 * attributes do not satisfy the policies' JSON Schemas; a rule errs, which the server would pass over. A request is
 * allowed only if both the server and `policies` allow it.
 *
 * A `Decision` is deep-equal to that of `decide(policies, request)` with policies compiled under
 * `schemaEnforcement: "reject"`, with one exception. If the server has newer policies and denies a request that
 * `policies` would allow, that layer's `policy`, `scope`, `outputs` and `derivedRoles` are the server's, and `errors` is
 * empty. Its `reasons` has the rules of the reported outputs; if several rules hold, perhaps only one.
 *
 * Throws a `RangeError` for an invalid `timeoutMs`, and a `TypeError` for an unknown option.
 */
export function remoteDecider<T extends PolicyTypes = PolicyTypes>(
  client: CheckClient,
  policies: PolicySet<T>,
  options?: RemoteDeciderOptions,
): RemoteDecide<T>;
export function remoteDecider(
  client: CheckClient,
  policies: PolicySet,
  options: RemoteDeciderOptions = {},
): (request: PermissionRequest, options?: AskOptions) => DecisionTask {
  checkOptions(options, REMOTE_DECIDER_OPTIONS);
  const { timeoutMs = 1_000 } = options;
  if (!(timeoutMs > 0 && timeoutMs <= MAX_DELAY)) throw new RangeError(`timeoutMs must be 1 to ${MAX_DELAY}`);
  if (!isPolicySet(policies)) return () => async () => right(denyWithoutPolicies(policies));
  const judge = new LocalJudge(policies);
  const rules = rulesBySource(policies.model);
  const known = {
    permission: { rules, defaultReason: policies.permission.defaultReason },
    platform: { rules, defaultReason: policies.platform?.defaultReason ?? "" },
  };
  return (request, options = {}) =>
    async () => {
      const read = snapshotOf(request);
      const { permission, platform } = judge.judge(read);
      const decided = (...verdicts: readonly [LayerVerdict, LayerVerdict]) =>
        right(decisionOf(policies, read.operation, read.resource, ...verdicts));
      if (permission.settled && platform.settled) return decided(permission.verdict, platform.verdict);
      const answers = await withTimeout(timeoutMs, options.signal, (signal) => {
        const ask = (judgement: Judgement, layer: AnsweringLayer) =>
          verdictFor(client, judgement, layer, options, signal);
        return Promise.all([ask(permission, known.permission), ask(platform, known.platform)]);
      });
      if (isLeft(answers)) return answers;
      const [first, second] = answers.right;
      if (isLeft(first)) return first;
      return isLeft(second) ? second : decided(first.right, second.right);
    };
}

type LayerAnswer = Either<DecisionFailure, LayerVerdict>;

async function verdictFor(
  client: CheckClient,
  judgement: Judgement,
  known: AnsweringLayer,
  { requestId }: AskOptions,
  signal: AbortSignal,
): Promise<LayerAnswer> {
  if (judgement.settled) return right(judgement.verdict);
  const response = await client.checkResources(messageOf(judgement.question, requestId), { signal });
  return verdictOf(response, judgement.question, known);
}

function messageOf({ principal, resource, action, version }: ServerQuestion, requestId: string | undefined) {
  return {
    principal: { ...principal, policyVersion: version },
    resources: [{ resource: { ...resource, policyVersion: version }, actions: [action] }],
    includeMetadata: true,
    requestId,
  };
}
