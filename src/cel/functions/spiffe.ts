/** Cerbos's SPIFFE functions (`internal/conditions/types/spiffe.go`). */

import { type Evaluation, fail, spend } from "../evaluation.js";
import { BOOL, list, opaque, STRING } from "../types.js";
import type { CelList } from "../values.js";
import { binary, nullary, type Overload, unary } from "./overload.js";
import { parseSpiffeId, parseTrustDomain, SpiffeId, SpiffeMatcher, SpiffeTrustDomain } from "./spiffe-value.js";

const SPIFFE_ID = opaque("cerbos.lib.spiffeID", (v): v is SpiffeId => v instanceof SpiffeId);
const SPIFFE_TRUST_DOMAIN = opaque(
  "cerbos.lib.spiffeTrustDomain",
  (v): v is SpiffeTrustDomain => v instanceof SpiffeTrustDomain,
);
const SPIFFE_MATCHER = opaque("cerbos.lib.spiffeMatcher", (v): v is SpiffeMatcher => v instanceof SpiffeMatcher);

function toId(ev: Evaluation, text: string): SpiffeId | undefined {
  if (!spend(ev, 4)) return undefined;
  const id = parseSpiffeId(text);
  return id instanceof SpiffeId ? id : fail(ev, `failed to parse SPIFFE ID: ${id.reason}`);
}

function toTrustDomain(ev: Evaluation, text: string): SpiffeTrustDomain | undefined {
  if (!spend(ev, 4)) return undefined;
  const domain = parseTrustDomain(text);
  return domain instanceof SpiffeTrustDomain
    ? domain
    : fail(ev, `failed to parse SPIFFE trust domain: ${domain.reason}`);
}

function matchId(expected: SpiffeId): SpiffeMatcher {
  return new SpiffeMatcher((id) => id.equals(expected));
}

function matchDomain(domain: SpiffeTrustDomain): SpiffeMatcher {
  return new SpiffeMatcher((id) => id.domain.text === domain.text);
}

/** Accepts a mixed list of ids and texts. */
function matchOneOf(ev: Evaluation, elements: CelList): SpiffeMatcher | undefined {
  if (!spend(ev, 1 + elements.length)) return undefined;
  const texts = new Set<string>();
  for (const element of elements) {
    if (element instanceof SpiffeId) {
      texts.add(element.text);
      continue;
    }
    if (typeof element !== "string") return fail(ev, "no such overload");
    const id = toId(ev, element);
    if (id === undefined) return fail(ev, "no such overload");
    texts.add(id.text);
  }
  return new SpiffeMatcher((id) => texts.has(id.text));
}

/**
 * In the PDP `trustDomain.id()` returns the trust domain itself, although it is declared to return a string: the
 * binding of the identity function `id(x)` answers in its place. The trust domain equals the text of its id, so `==`
 * cannot tell.
 */
const trustDomainId: Overload = {
  name: "id",
  style: "member",
  params: [SPIFFE_TRUST_DOMAIN],
  result: STRING,
  run: { arity: 1, call: (_ev, value) => value },
  isMisdeclared: true,
};

export const spiffeFunctions: readonly Overload[] = [
  unary("global", "spiffeID", STRING, SPIFFE_ID, toId),
  binary(
    "member",
    "isMemberOf",
    SPIFFE_ID,
    SPIFFE_TRUST_DOMAIN,
    BOOL,
    (_ev, id, domain) => id.domain.text === domain.text,
  ),
  unary("member", "path", SPIFFE_ID, STRING, (_ev, id) => id.path),
  unary("member", "trustDomain", SPIFFE_ID, SPIFFE_TRUST_DOMAIN, (_ev, id) => id.domain),
  unary("global", "spiffeTrustDomain", STRING, SPIFFE_TRUST_DOMAIN, toTrustDomain),
  trustDomainId,
  unary("member", "name", SPIFFE_TRUST_DOMAIN, STRING, (_ev, domain) => domain.text),
  nullary("global", "spiffeMatchAny", SPIFFE_MATCHER, () => new SpiffeMatcher(() => true)),
  unary("global", "spiffeMatchExact", SPIFFE_ID, SPIFFE_MATCHER, (_ev, id) => matchId(id)),
  unary("global", "spiffeMatchExact", STRING, SPIFFE_MATCHER, (ev, text) => {
    const id = toId(ev, text);
    return id === undefined ? undefined : matchId(id);
  }),
  unary("global", "spiffeMatchOneOf", list(SPIFFE_ID), SPIFFE_MATCHER, matchOneOf),
  unary("global", "spiffeMatchOneOf", list(STRING), SPIFFE_MATCHER, matchOneOf),
  unary("global", "spiffeMatchTrustDomain", SPIFFE_TRUST_DOMAIN, SPIFFE_MATCHER, (_ev, domain) => matchDomain(domain)),
  unary("global", "spiffeMatchTrustDomain", STRING, SPIFFE_MATCHER, (ev, text) => {
    const domain = toTrustDomain(ev, text);
    return domain === undefined ? undefined : matchDomain(domain);
  }),
  binary("member", "matchesID", SPIFFE_MATCHER, SPIFFE_ID, BOOL, (_ev, matcher, id) => matcher.matches(id)),
  binary("member", "matchesID", SPIFFE_MATCHER, STRING, BOOL, (ev, matcher, text) => {
    const id = toId(ev, text);
    return id === undefined ? undefined : matcher.matches(id);
  }),
];
