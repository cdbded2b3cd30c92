/**
 * What Cerbos has and the engine of decisions does not evaluate yet: refused where it stands, with code `unsupported`.
 * Once it does, this file goes, and with it every mention of `Language`.
 */

import type { IssueLog } from "./issue-log.js";
import { positionOf, textField } from "./read/fields.js";
import type { ShapedDocument } from "./shape/validate.js";
import type { Source } from "./text/source.js";

/** `full`: all of Cerbos 0.51. `resource`: resource policies of the root scope, and what they import. */
export type Language = "resource" | "full";

/** Whether the document uses something that is not supported; reports it. */
export function refuseUnsupported(shaped: ShapedDocument, language: Language, source: Source, log: IssueLog): boolean {
  if (language === "full") return false;
  const { kind, document, body } = shaped;
  if (kind === "principalPolicy" || kind === "rolePolicy") {
    const at = source.position(document.entries.get(kind)?.key.start ?? document.start);
    const name = kind === "principalPolicy" ? "principal policies" : "role policies";
    log.error("unsupported", at, `${name} are not supported yet`);
    return true;
  }
  const before = log.size;
  if (textField(body, "scope") !== "") {
    log.error("unsupported", positionOf(body, "scope", source), "scopes other than the root are not supported yet");
  }
  if (textField(body, "scopePermissions").includes("PARENTAL_CONSENT")) {
    const at = positionOf(body, "scopePermissions", source);
    log.error("unsupported", at, "of scopePermissions only SCOPE_PERMISSIONS_OVERRIDE_PARENT is supported yet");
  }
  return log.size > before;
}
