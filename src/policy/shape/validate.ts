/** Documents against the shape of their kind. */

import { Ajv, type ValidateFunction } from "ajv";
import type { IssueLog } from "../issue-log.js";
import type { Source } from "../text/source.js";
import type { MapNode, TreeNode } from "../text/tree.js";
import { canonical } from "./canonical.js";
import { documentShape, type Kind } from "./document.js";
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

/** A shape, compiled. */
export interface Checker {
  readonly shape: Shape;
  readonly validate: ValidateFunction;
}

const ajv = new Ajv({ allErrors: true, verbose: true, messages: false });
const checkers = new Map<Kind, Checker>();

/** Each kind is compiled once, when the first document of it is met. */
function checkerOf(kind: Kind): Checker {
  const known = checkers.get(kind);
  if (known !== undefined) return known;
  const checker = compileShape(documentShape(kind));
  checkers.set(kind, checker);
  return checker;
}

export function compileShape(shape: Shape): Checker {
  return { shape, validate: ajv.compile(shape) };
}

/** Whether a document has the shape; what is wrong with it goes to `log`. */
export function hasShape({ validate }: Checker, document: TreeNode, source: Source, log: IssueLog): boolean {
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
  const checker = checkerOf(kind);
  const document = canonical(tree, checker.shape, source, log);
  if (!hasShape(checker, document, source, log)) return undefined;
  const body = document.kind === "map" ? document.entries.get(kind)?.value : undefined;
  return document.kind === "map" && body?.kind === "map" ? { kind, document, body } : undefined;
}
