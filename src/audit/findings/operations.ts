/** Operations that one layer knows and the other does not. */

import { didYouMean } from "../../policy/distance.js";
import { isGlob } from "../../policy/glob.js";
import type { Position } from "../../policy/issue.js";
import { sanitise } from "../../policy/names.js";
import type { OperationFacts } from "../operations/types.js";
import type { LayerName } from "../policies.js";
import type { Finding } from "./finding.js";
import type { ActionMention } from "./mentions.js";
import { misspellings } from "./misspellings.js";

/** `mentions`: of both layers. `hasPlatform`: there is a platform layer, which supports operations or does not. */
export function operationFindings(
  operations: readonly OperationFacts[],
  mentions: readonly ActionMention[],
  hasPlatform: boolean,
): readonly Finding[] {
  return operations.flatMap((operation): readonly Finding[] => {
    const { kind, scopes, others } = operation;
    if (scopes.length === 0 || others.length > 0) return [];
    const name = `${operation.operation} on ${kind}`;
    const ofKind = mentions.filter((one) => one.kind === sanitise(kind));
    const about = ofKind.filter(({ action }) => action === operation.operation);
    const nobodyMay = scopes.every(({ cells }) => cells.every(({ chance }) => chance === "never"));
    if (scopes.every(({ supported }) => supported === "never")) {
      const place = about.find(({ layer, effect }) => layer === "permission" && effect === "allow");
      if (nobodyMay || place === undefined) return [];
      const message = `${name} is permitted to some, and the platform never supports it: it is always forbidden`;
      const hint = nearest(place, ofKind, "platform");
      return [{ code: "unsupported_operation", severity: "warning", message, ...placeOf(place), hint }];
    }
    if (!nobodyMay) return [];
    const place = about.find(({ layer }) => layer === "platform") ?? about[0];
    if (place === undefined) return [];
    const message = hasPlatform
      ? `${name} is supported by the platform, and no role may do it`
      : `${name} is in the policies, and no role may do it`;
    const hint = nearest(place, ofKind, "permission");
    return [{ code: "ungranted_operation", severity: "warning", message, ...placeOf(place), hint }];
  });
}

/**
 * Actions of a kind that are probably misspelt: those of DENY rules, which then deny nothing, and of sets with one layer,
 * where nothing else says which operations there are. The same of kinds that principal and role policies name.
 */
export function misspeltOperations(mentions: readonly ActionMention[], kinds: readonly string[]): readonly Finding[] {
  const found: Finding[] = [];
  for (const kind of new Set(mentions.map((one) => one.kind))) {
    const named = mentions.filter((one) => one.kind === kind && !isGlob(one.action));
    for (const [one, meant] of misspellings(named.map((each) => ({ ...each, name: each.action })))) {
      const message = `only one place mentions the operation ${one.action}`;
      const hint = `did you mean ${JSON.stringify(meant)}?`;
      found.push({ code: "unknown_operation", severity: "warning", message, hint, ...placeOf(one) });
    }
    if (isGlob(kind) || kinds.includes(kind)) continue;
    const all = [...kinds, ...kinds].map((name) => ({ name, at: undefined }));
    for (const [one, meant] of misspellings([...all, { name: kind, at: named[0] }])) {
      if (one.at === undefined) continue;
      const message = `no policy is for the resource kind ${kind}, which this rule names`;
      const hint = `did you mean ${JSON.stringify(meant)}?`;
      found.push({ code: "unknown_kind", severity: "warning", message, hint, ...placeOf(one.at) });
    }
  }
  return found;
}

/**
 * Of sets with two layers: denials of the permission layer for operations that no other rule of either layer is about.
 * (The platform may well deny what it never supports: it gives a reason for that.) And kinds that one layer alone has,
 * where the other has one of almost the same name.
 */
export function strangeToOthers(
  mentions: readonly ActionMention[],
  policies: readonly LayeredKind[],
): readonly Finding[] {
  const ofActions = mentions.filter(
    (one) => one.layer === "permission" && one.effect === "deny" && !isGlob(one.action),
  );
  const strange = ofActions.filter((one) => !mentions.some((other) => other.rule !== one.rule && isAbout(other, one)));
  const kindsOf = (layer: LayerName) => [
    ...new Set(policies.filter((one) => one.layer === layer).map(({ kind }) => kind)),
  ];
  return [
    ...strange.map((one): Finding => {
      const names = mentions.filter(
        (other) => other.kind === one.kind && other.effect === "allow" && !isGlob(other.action),
      );
      const message = `no other rule of either layer is about ${one.action} on ${one.kind}: denying it decides nothing`;
      const known = names.map(({ action }) => action);
      const hint = didYouMean(one.action, known) ?? "take it out, or list it where it is allowed";
      return { code: "unknown_operation", severity: "warning", message, hint, ...placeOf(one) };
    }),
    ...policies.flatMap(({ layer, kind, at }): readonly Finding[] => {
      const other = layer === "permission" ? "platform" : "permission";
      const hint = kindsOf(other).includes(kind) ? undefined : didYouMean(kind, kindsOf(other));
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
  readonly at: Position;
}

/** Whether a mention may be about the operation of another one. */
function isAbout(mention: ActionMention, { kind, action }: ActionMention): boolean {
  const isOfKind = mention.kind === kind || isGlob(mention.kind);
  return isOfKind && (mention.action === action || (isGlob(mention.action) && mention.effect !== "deny"));
}

/** The operation that a layer allows and that was perhaps meant; otherwise what else there is to do. */
function nearest({ action }: ActionMention, ofKind: readonly ActionMention[], layer: ActionMention["layer"]): string {
  const allowed = ofKind.filter((one) => one.layer === layer && one.effect === "allow" && !isGlob(one.action));
  const names = allowed.map((one) => one.action);
  if (names.includes(action)) return "a DENY rule leaves nothing of it: take one of them out";
  const otherwise =
    layer === "platform"
      ? "list it in an ALLOW rule of the platform policy, or take it out here"
      : "allow it in a permission policy, or take it out here";
  return didYouMean(action, names) ?? otherwise;
}

function placeOf({ file, line, column, rule }: ActionMention) {
  return { file, line, column, rule };
}
