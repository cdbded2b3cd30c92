/** Operations that one layer knows and the other does not. */

import { didYouMean } from "../../policy/distance.js";
import { isGlob } from "../../policy/glob.js";
import { sanitise } from "../../policy/names.js";
import type { OperationFacts } from "../operations/types.js";
import type { Finding } from "./finding.js";
import type { ActionMention } from "./mentions.js";

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

/** The operation that a layer allows and that was perhaps meant; otherwise what else there is to do. */
function nearest({ action }: ActionMention, ofKind: readonly ActionMention[], layer: ActionMention["layer"]): string {
  const known = ofKind.filter((one) => one.layer === layer && one.effect === "allow" && !isGlob(one.action));
  const hint = didYouMean(
    action,
    known.map((one) => one.action),
  );
  const otherwise =
    layer === "platform"
      ? "list it in an ALLOW rule of the platform policy, or take it out here"
      : "allow it in a permission policy, or take it out here";
  return hint ?? otherwise;
}

function placeOf({ file, line, column, rule }: ActionMention) {
  return { file, line, column, rule };
}
