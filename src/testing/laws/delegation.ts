/** Laws of delegated keys: chains of keys, and keys that cover others. */

import fc from "fast-check";
import { covers } from "../../decisions/covers.js";
import { type ChainDecision, type ChainRequest, decideChain } from "../../decisions/decide-chain.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Decision } from "../../decisions/types.js";
import { CALLBACK, type OptionTable } from "../../policy/options.js";
import { LAW_OPTIONS, type LawOptions, trialOf } from "./options.js";
import type { PlainRequest } from "./plain-request.js";
import { reportable } from "./reportable.js";
import { throwViolation } from "./violation.js";

export interface ChainOptions extends LawOptions {
  /** Makes the decisions on chains: a wrapper of your own, for example. Default: `decideChain`. */
  readonly decideChain?: (
    policies: PolicySet,
    links: readonly PlainRequest["key"][],
    request: ChainRequest,
  ) => ChainDecision;
}

const CHAIN_OPTIONS = { ...LAW_OPTIONS, decideChain: CALLBACK } satisfies OptionTable<ChainOptions>;

/** The most ancestors of a key. */
const MAX_ANCESTORS = 4;

/**
 * The laws of chains (docs/delegation.md): a chain allows if and only if every link is allowed; the order of links
 * changes no outcome; a chain of one link is `decide`; no link clears a `forbidden`. The ancestors are the keys of
 * other requests.
 */
export function chain(policies: PolicySet, options: ChainOptions = {}): fc.IProperty<[PlainRequest, PlainRequest[]]> {
  const { cases, ask } = trialOf(policies, options, CHAIN_OPTIONS);
  const by = options.decideChain ?? decideChain;
  return reportable(
    fc.property(cases, fc.array(cases, { maxLength: MAX_ANCESTORS }), (request, others) => {
      const { key, ...target } = request;
      const links = [key, ...others.map((other) => other.key)];
      const each = links.map((link) => ({ ...request, key: link })).map((one) => ({ one, decision: ask(one) }));
      const decided = by(policies, links, target);
      const reversed = by(policies, links.toReversed(), target);
      const expected = expectedOutcome(each.map(({ decision }) => decision));
      const shown = [
        ...each.map(({ one, decision }, at) => ({ label: `link ${at} by itself`, request: one, decision })),
        { label: "the chain", request, decision: decided },
        { label: "the chain from its other end", request, decision: reversed },
      ];
      if (decided.outcome !== expected) throwViolation(`Chain: the links by themselves make it ${expected}.`, shown);
      if (reversed.outcome !== expected) throwViolation("Chain: the order of links changed the outcome.", shown);
      const refuses = each.findIndex(({ decision }) => decision.outcome === "insufficient_permissions");
      if (expected === "insufficient_permissions" && decided.link !== refuses) {
        throwViolation(`Chain: link ${refuses} is the first that refuses, not ${decided.link}.`, shown);
      }
    }),
  );
}

function expectedOutcome(decisions: readonly Decision[]): Decision["outcome"] {
  const refused = (outcome: Decision["outcome"]) => decisions.some((decision) => decision.outcome === outcome);
  if (refused("forbidden")) return "forbidden";
  return refused("insufficient_permissions") ? "insufficient_permissions" : "allow";
}

/**
 * The law of `covers` (docs/delegation.md): by the permission layer, a key that covers another has all of its
 * powers, apart from operations of a key on itself; and a request that is named is allowed the other alone. The keys are
 * those of two requests.
 */
export function coverage(policies: PolicySet, options: LawOptions = {}): fc.IProperty<[PlainRequest, PlainRequest]> {
  const { cases, ask } = trialOf(policies, options);
  return reportable(
    fc.property(cases, cases, (request, other) => {
      const [holder, maker] = [request.key, other.key];
      const found = covers(policies, { maker, holder });
      if (found.covered) {
        for (const one of [request, { ...other, key: holder }]) expectBoth(one, maker, ask);
        return;
      }
      if (found.request === undefined) return;
      const { operation, resource } = found.request;
      const shown = { ...request, operation, resource: { ...resource, attr: { ...resource.attr } } };
      const [one, two] = [shown, { ...shown, key: maker }].map((each) => ({ request: each, decision: ask(each) }));
      if (one === undefined || two === undefined) return;
      if (one.decision.permission.effect === "allow" && two.decision.permission.effect !== "allow") return;
      throwViolation("Coverage: the named request is not allowed the holder alone.", [
        { label: "the holder", ...one },
        { label: "the maker", ...two },
      ]);
    }),
  );
}

function expectBoth(request: PlainRequest, maker: PlainRequest["key"], ask: (request: PlainRequest) => Decision): void {
  const decision = ask(request);
  if (decision.permission.effect !== "allow") return;
  const made = { ...request, key: maker };
  const other = ask(made);
  if (other.permission.effect === "allow" || isWithItself(request, maker, ask)) return;
  throwViolation("Coverage: the holder may do something that the maker, which covers it, may not.", [
    { label: "the holder", request, decision },
    { label: "the maker", request: made, decision: other },
  ]);
}

/** Whether the resource has the id of the key, and the maker may do the same with itself. */
function isWithItself(
  { key, resource, ...rest }: PlainRequest,
  maker: PlainRequest["key"],
  ask: (request: PlainRequest) => Decision,
): boolean {
  const may = (id: string) =>
    ask({ ...rest, key: { ...maker, id }, resource: { ...resource, id } }).permission.effect === "allow";
  return resource.id === key.id && may(key.id) && may(maker.id);
}
