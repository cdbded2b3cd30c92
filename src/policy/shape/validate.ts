/** Validates documents against the shape of their kind. */

import type { IssueLog } from "../issue-log.js";
import type { Source } from "../text/source.js";
import type { MapNode, TreeNode } from "../text/tree.js";
import { canonical } from "./canonical.js";
import { hasShape } from "./check.js";
import { DOCUMENT_SHAPES, type DocumentKind } from "./document.js";
import { kindOf } from "./kind.js";

/** A document with a valid shape: its fields have the right types, and the required fields exist. */
export interface ShapedDocument {
  readonly kind: DocumentKind;
  readonly document: MapNode;
  /** The policy itself: the field named by `kind`. */
  readonly body: MapNode;
}

/** The document, in canonical spelling; undefined (with issues) if it is not a policy document. */
export function validateDocument(tree: TreeNode, source: Source, log: IssueLog): ShapedDocument | undefined {
  if (tree.kind !== "map") {
    log.error("shape", source.position(tree.start), "a policy document must be a mapping");
    return undefined;
  }
  const kind = kindOf(tree, source, log);
  if (kind === undefined) return undefined;
  const shape = DOCUMENT_SHAPES[kind];
  const document = canonical(tree, shape, source, log);
  if (!hasShape(document, shape, source, log)) return undefined;
  const body = document.kind === "map" ? document.entries.get(kind)?.value : undefined;
  return document.kind === "map" && body?.kind === "map" ? { kind, document, body } : undefined;
}
