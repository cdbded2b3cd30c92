/**
 * What Cerbos has and this version does not: refused where it stands, with code `unsupported`. To support one of
 * these, take it out here and give it a reader.
 */

import type { IssueLog } from "./issue-log.js";
import { positionOf, textField } from "./read/fields.js";
import type { ShapedDocument } from "./shape/validate.js";
import type { Source } from "./text/source.js";

/** Whether the document uses something that is not supported; reports it. */
export function refuseUnsupported(shaped: ShapedDocument, source: Source, log: IssueLog): boolean {
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
