/** Documents against the shape of their kind. */

import { Ajv, type ValidateFunction } from "ajv";
import type { IssueLog } from "../issue-log.js";
import type { Source } from "../text/source.js";
import type { MapNode, TreeNode } from "../text/tree.js";
import { canonical } from "./canonical.js";
import { DOCUMENT_SHAPES, type Kind } from "./document.js";
import { explain } from "./explain.js";
import { kindOf } from "./kind.js";
import type { Shape } from "./shape.js";

/** A document whose shape is right: every field that is there is of its type, and the required ones are there. */
export interface ShapedDocument {
  readonly kind: Kind;
  readonly document: MapNode;
  /** The policy itself: the field named by `kind`. */
  readonly body: MapNode;
}

const ajv = new Ajv({ allErrors: true, verbose: true, messages: false });
const validators = new Map<Shape, ValidateFunction>();

/** Each shape is compiled once, when the first document of it is met. */
function validatorOf(shape: Shape): ValidateFunction {
  const validate = validators.get(shape) ?? ajv.compile(shape);
  validators.set(shape, validate);
  return validate;
}

/** Whether a document has the shape, which is a constant of the program; what is wrong with it goes to `log`. */
export function hasShape(shape: Shape, document: TreeNode, source: Source, log: IssueLog): boolean {
  const validate = validatorOf(shape);
  if (validate(document.data)) return true;
  for (const error of validate.errors ?? []) {
    const finding = explain(error, document);
    if (finding === undefined) continue;
    log.error(finding.code, source.position(finding.at), finding.message, finding.hint);
  }
  return false;
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
  if (!hasShape(shape, document, source, log)) return undefined;
  const body = document.kind === "map" ? document.entries.get(kind)?.value : undefined;
  return document.kind === "map" && body?.kind === "map" ? { kind, document, body } : undefined;
}
