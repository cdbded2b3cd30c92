/** Operations that one layer knows and the other does not. */

import { isAdded } from "../../decisions/unlisted-kinds.js";
import { didYouMean } from "../../policy/distance.js";
import { isGlob } from "../../policy/glob.js";
import type { SourcePosition } from "../../policy/issue.js";
import type { PolicyModel } from "../../policy/model.js";
import { sanitise } from "../../policy/names.js";
import type { OperationFacts } from "../operations/types.js";
import type { LayerName } from "../policies.js";
import type { Finding } from "./finding.js";
import type { ActionMention, Mentions, MentionsOfKind } from "./mentions.js";
import { misspellings, Spellings } from "./misspellings.js";

/** `mentions`: of both layers. `listed`: the kinds with a platform policy; undefined: there is no platform layer. */
export function operationFindings(
  operations: readonly OperationFacts[],
  mentions: Mentions,
  listed: ReadonlySet<string> | undefined,
): readonly Finding[] {
  return operations.flatMap((operation): readonly Finding[] => {
    const { kind, scopes, others } = operation;
    if (scopes.length === 0 || others.length > 0 || listed?.has(sanitise(kind)) === false) return [];
    const name = `${operation.operation} on ${kind}`;
    const ofKind = mentions.of(sanitise(kind));
    const about = ofKind.about(operation.operation);
    const nobodyMay = !isPermitted(operation);
    if (scopes.every(({ supported }) => supported === "never")) {
      const place = about.find(({ layer, effect }) => layer === "permission" && effect === "allow");
      if (nobodyMay || place === undefined) return [];
      const message = `${name} is permitted to some keys, but the platform never supports it, so it is always forbidden`;
      const hint = nearest(place, ofKind, "platform");
      return [{ code: "unsupported_operation", severity: "warning", message, ...mentionLocation(place), hint }];
    }
    if (!nobodyMay) return [];
    const place = about.find(({ layer }) => layer === "platform") ?? about[0];
    if (place === undefined) return [];
    const message =
      listed !== undefined
        ? `the platform supports ${name}, but no role may do it`
        : `the policies name ${name}, but no role may do it`;
    const hint = nearest(place, ofKind, "permission");
    return [{ code: "ungranted_operation", severity: "warning", message, ...mentionLocation(place), hint }];
  });
}

/** Kinds for which the permission layer has a policy and the platform layer has none, each once. */
export function unlistedKinds(
  operations: readonly OperationFacts[],
  policies: readonly LayeredKind[],
): readonly Finding[] {
  const listed = kindsOf(policies, "platform");
  const first = new Map(policies.filter(({ layer }) => layer === "permission").map((one) => [one.kind, one] as const));
  return [...first.values()].flatMap(({ kind, at }): readonly Finding[] => {
    // Then `strangeToOthers` says more.
    if (listed.has(kind) || didYouMean(kind, listed) !== undefined) return [];
    const permitted = operations.filter(
      (one) => sanitise(one.kind) === kind && one.others.length === 0 && isPermitted(one),
    );
    if (permitted.length === 0) return [];
    const names = permitted.map(({ operation }) => operation).join(", ");
    const message = `no platform policy is for the resource kind ${kind}, so what some keys may do there is always forbidden: ${names}`;
    const hint =
      "write a platform policy for it, or support such kinds with platform: { unlisted: supported } in keyward.yaml";
    return [{ code: "unlisted_kind", severity: "warning", message, hint, ...at }];
  });
}

/** Kinds that are supported because the configuration says so of those without a platform policy, each once. */
export function supportedKinds({ resourcePolicies }: PolicyModel): readonly Finding[] {
  return resourcePolicies.filter(isAdded).map(({ name, at }) => {
    const message = `no platform policy is for the resource kind ${name}, and the configuration supports every operation on it`;
    return { code: "unlisted_kind", severity: "note", message, hint: "write a platform policy to prohibit any", ...at };
  });
}

function isPermitted({ scopes }: OperationFacts): boolean {
  return !scopes.every(({ cells }) => cells.every(({ chance }) => chance === "never"));
}

/**
 * Probably misspelled actions: in DENY rules, which then deny nothing, and in sets with one layer, where nothing else
 * tells which operations exist. Also kinds in principal and role policies.
 */
export function misspeltOperations(mentions: Mentions, kinds: readonly string[]): readonly Finding[] {
  const found: Finding[] = [];
  const known = new Set(kinds);
  const spellings = new Spellings(known);
  for (const [kind, { named }] of mentions.kinds) {
    for (const [one, meant] of misspellings(named.map((each) => ({ ...each, name: each.action })))) {
      const message = `only one place mentions the operation ${one.action}`;
      const hint = `did you mean ${JSON.stringify(meant)}?`;
      // A misspelt prohibition lets requests through.
      const severity = one.effect === "deny" || one.layer === "platform" ? "error" : "warning";
      found.push({ code: "unknown_operation", severity, message, hint, ...mentionLocation(one) });
    }
    const [first] = named;
    const meant = isGlob(kind) || known.has(kind) ? undefined : spellings.meantBy(kind);
    if (first === undefined || meant === undefined) continue;
    const message = `this rule names the resource kind ${kind}, but no policy is for that kind`;
    const hint = `did you mean ${JSON.stringify(meant)}?`;
    found.push({ code: "unknown_kind", severity: "warning", message, hint, ...mentionLocation(first) });
  }
  return found;
}

/**
 * In sets with two layers: permission-layer denials of operations that no other rule of either layer is about. (The
 * platform may deny operations that it never supports, to give a reason.) Also kinds that only one layer has, if the
 * other has a kind with almost the same name.
 */
export function strangeToOthers(mentions: Mentions, policies: readonly LayeredKind[]): readonly Finding[] {
  const ofActions = mentions.all.filter(
    (one) => one.layer === "permission" && one.effect === "deny" && !isGlob(one.action),
  );
  const strange = ofActions.filter((one) => !mentions.isElsewhere(one));
  const kinds = { permission: kindsOf(policies, "permission"), platform: kindsOf(policies, "platform") };
  return [
    ...strange.map((one): Finding => {
      const message = `no other rule is about ${one.action} on ${one.kind}, so this denial changes no decision`;
      const hint =
        didYouMean(one.action, mentions.of(one.kind).allowedBy()) ??
        "remove it, or list the operation in an ALLOW rule";
      return { code: "unknown_operation", severity: "error", message, hint, ...mentionLocation(one) };
    }),
    ...policies.flatMap(({ layer, kind, at }): readonly Finding[] => {
      const other = layer === "permission" ? "platform" : "permission";
      const hint = kinds[other].has(kind) ? undefined : didYouMean(kind, kinds[other]);
      if (hint === undefined) return [];
      const message = `no ${other} policy is for the resource kind ${kind}`;
      return [{ code: "unknown_kind", severity: "warning", message, hint, ...at }];
    }),
  ];
}

/** A kind that a layer has a policy for, sanitised. */
export interface LayeredKind {
  readonly layer: LayerName;
  readonly kind: string;
  readonly at: SourcePosition;
}

export function kindsOf(policies: readonly LayeredKind[], layer: LayerName): ReadonlySet<string> {
  return new Set(policies.filter((one) => one.layer === layer).map(({ kind }) => kind));
}

/**
 * Suggests the operation that was probably meant, or else another fix. An operation that both layers know is only
 * suggested for one typing error: `doc.post` and `doc.list`, both permitted, are two operations.
 */
function nearest({ action, layer: own }: ActionMention, ofKind: MentionsOfKind, layer: LayerName): string {
  const names = ofKind.allowedBy(layer);
  if (names.has(action)) return "a DENY rule refuses it in every case: remove one of the two rules";
  const otherwise =
    layer === "platform"
      ? "list it in an ALLOW rule of the platform policy, or remove it here"
      : "allow it in a permission policy, or remove it here";
  const here = ofKind.allowedBy(own);
  const missing = [...names].filter((name) => !here.has(name));
  return didYouMean(action, missing) ?? didYouMean(action, names, 1) ?? otherwise;
}

function mentionLocation({ file, line, column, rule }: ActionMention) {
  return { file, line, column, rule };
}
