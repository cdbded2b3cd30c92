/**
 * Hints: the permissions and roles with which a request would be allowed that was refused for lack of permission.
 *
 * INVARIANT (hints tell nothing of the resource): a hint is made of the policies, the key, the operation, and the
 * resource's kind, id and scope. Attributes of the resource decide only whether hints are given at all. docs/ask-or-stop.md
 * says why.
 */

import { decideAny, enterDecision, leaveDecision } from "../decisions/decide.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { PolicyTypes } from "../decisions/policy-types.js";
import { snapshot } from "../decisions/snapshot.js";
import type { Decision, DecisionRequest, PermissionRequest } from "../decisions/types.js";
import { HintedKey } from "./hinted-key.js";
import { leastTests } from "./least-tests.js";
import type { KeyList } from "./list-search.js";
import { SoughtTexts } from "./sought-texts.js";
import { type HintWay, type WayQuestion, WayTable } from "./ways.js";

/** The permissions and roles that a key lacks: all of them together, and no more than it takes. */
export interface Hint {
  /** The permissions to add to the key, each to the list in which policies look for it. Empty if roles are enough. */
  readonly permissions: readonly string[];
  /** The roles to add. Absent if permissions are enough. */
  readonly roles?: readonly string[];
}

export interface HintOptions {
  /** The most hints to give. Default: 3. */
  readonly limit?: number | undefined;
  /**
   * Whether hints may be made of attributes of the resource (`api.<its apiId>.read_key`). Only for callers who may read
   * all attributes of the resource. Default: `false`.
   */
  readonly disclose?: boolean | undefined;
}

const DEFAULT_LIMIT = 3;

/** Further choices of texts for one way are left out. */
const MAX_CANDIDATES = 64;

/**
 * The hints for a refused request, the least powerful first. Each was tried: the request is allowed for the key with it,
 * and with no less.
 *
 * Empty unless the outcome is `insufficient_permissions`: for `allow`, for `forbidden`, for a decision with a fault or an
 * error, and where no permission or role helps. Never throws, and changes none of its arguments; empty for arguments of
 * any other sort.
 */
export function hintsOf<T extends PolicyTypes = PolicyTypes>(
  policies: PolicySet<T>,
  decision: Decision<NoInfer<T>>,
  request: DecisionRequest<NoInfer<T>>,
  options?: HintOptions,
): readonly Hint[];
export function hintsOf(
  policies: PolicySet,
  decision: Decision,
  request: PermissionRequest,
  options?: HintOptions,
): readonly Hint[] {
  return hintsOfAny(policies, decision, request, options);
}

/** {@link hintsOf} for programs that have sets of either kind. */
export function hintsOfAny(
  policies: PolicySet,
  decision: Decision,
  request: PermissionRequest,
  options: HintOptions = {},
): readonly Hint[] {
  // A getter of the request may ask for hints: the bound is that on nested decisions.
  if (!enterDecision()) return [];
  try {
    if (!isLackOfPermission(decision)) return [];
    const { limit = DEFAULT_LIMIT, disclose = false } = options;
    const most = typeof limit === "number" && limit >= 0 ? Math.floor(limit) : DEFAULT_LIMIT;
    const read = snapshot(request);
    return most > 0 && isLackOfPermission(decideAny(policies, read))
      ? found(policies, read, most, disclose === true)
      : [];
  } catch {
    // An argument is of another sort, or cannot be read.
    return [];
  } finally {
    leaveDecision();
  }
}

function isLackOfPermission({ outcome, fault, permission, platform }: Decision): boolean {
  if (outcome !== "insufficient_permissions" || fault !== undefined) return false;
  const isError = ({ kind }: { readonly kind: string }) => kind === "error";
  return [permission, platform].every(({ errors, reasons }) => errors.length === 0 && !reasons.some(isError));
}

const tables = new WeakMap<PolicySet, WayTable>();

function tableOf(policies: PolicySet): WayTable {
  const known = tables.get(policies);
  if (known !== undefined) return known;
  const made = new WayTable(policies);
  tables.set(policies, made);
  return made;
}

function found(policies: PolicySet, request: PermissionRequest, limit: number, disclose: boolean): readonly Hint[] {
  const { key, operation, resource } = request;
  const question: WayQuestion = {
    kind: resource.kind,
    operation,
    keyId: key.id,
    keyScope: key.scope ?? "",
    resourceScope: resource.scope ?? "",
  };
  const { ways, isUniform } = tableOf(policies).of(question, disclose);
  const own = new HintedKey(key);
  const texts = new SoughtTexts(policies.permission, request, disclose);
  const candidates = lastOfEach(ways.flatMap((way) => candidatesOf(way, own, texts).map((key) => ({ way, key }))));
  const among = isUniform || disclose ? candidates : leastTests(policies, request, candidates);
  const isEnough = (hinted: HintedKey) => decideAny(policies, { ...request, key: hinted.key }).outcome === "allow";
  const given: HintedKey[] = [];
  for (const candidate of among) {
    if (given.length >= limit) break;
    if (!given.some((one) => candidate.includes(one)) && isEnough(candidate)) given.push(candidate);
  }
  return given.map(({ permissions, roles }) => (roles.length === 0 ? { permissions } : { permissions, roles }));
}

/**
 * The candidates of all ways. A text that is made of an id can be one that policies write (an API with the id `*`). It
 * then has the power of the latter. So of the ways with the same texts the last one counts, unless the key has some of
 * its texts already.
 */
function lastOfEach(all: readonly { readonly way: HintWay; readonly key: HintedKey }[]): readonly HintedKey[] {
  const isWhole = ({ role, needs }: HintWay, { parts }: HintedKey) =>
    parts ===
    needs.reduce((sum, { needsAll, texts }) => sum + (needsAll ? texts.length : 1), role === undefined ? 0 : 1);
  return all.flatMap(({ key }, i) => {
    const isLater = all.some(
      (other, j) => j > i && other.key.parts === key.parts && isWhole(other.way, other.key) && other.key.includes(key),
    );
    return isLater ? [] : [key];
  });
}

/**
 * The key with all that a way needs, once for each choice of texts. None if a text cannot be made, or the key lacks
 * nothing of it.
 */
function candidatesOf({ role, held, needs }: HintWay, own: HintedKey, texts: SoughtTexts): readonly HintedKey[] {
  const has = (name: string) => own.key.roles.includes(name);
  if ((role !== undefined && has(role)) || (held !== undefined && !has(held))) return [];
  let made: readonly HintedKey[] = [role === undefined ? own : own.withRole(role)];
  for (const { list, needsAll, texts: sought, definitions } of needs) {
    const values = sought.map((one) => texts.of(one, definitions));
    if (values.some(({ length }) => length === 0)) return [];
    const choices = needsAll ? [values.flat()] : values.flat().map((text) => [text]);
    made = made
      .flatMap((key) => choices.flatMap((choice) => withAll(key, list, choice) ?? []))
      .slice(0, MAX_CANDIDATES);
  }
  return made.filter((key) => key !== own);
}

function withAll(key: HintedKey, list: KeyList, texts: readonly string[]): HintedKey | undefined {
  return texts.reduce<HintedKey | undefined>((made, text) => made?.with(list, text), key);
}
