/** Finds the kind of a policy document before its shape is checked, so that a misspelt kind is reported once. */

import { didYouMean } from "../distance.js";
import type { IssueLog } from "../issue-log.js";
import type { Source } from "../text/source.js";
import type { MapNode } from "../text/tree.js";
import { DOCUMENT_FIELDS, type DocumentKind, KINDS } from "./document.js";

const SPELLINGS: ReadonlyMap<string, DocumentKind> = new Map(
  KINDS.flatMap((kind): [string, DocumentKind][] => [
    [kind, kind],
    [kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), kind],
  ]),
);

/** The kind of a document; undefined (with issues) if it has none or more than one. */
export function kindOf(document: MapNode, source: Source, log: IssueLog): DocumentKind | undefined {
  const [first, ...others] = [...document.entries].filter(([name]) => SPELLINGS.has(name));
  if (first === undefined) {
    reportMissing(document, source, log);
    return undefined;
  }
  for (const [name, { key }] of others) {
    const message = `a document is one policy: it is a ${first[0]} already, and cannot be a ${name} too`;
    log.error("shape", source.position(key.start), message);
  }
  return others.length > 0 ? undefined : SPELLINGS.get(first[0]);
}

function reportMissing(document: MapNode, source: Source, log: IssueLog): void {
  let suspects = 0;
  for (const [name, { key }] of document.entries) {
    if (DOCUMENT_FIELDS.includes(name) || name === "api_version") continue;
    suspects++;
    log.error("shape", source.position(key.start), `unknown field "${name}"`, didYouMean(name, DOCUMENT_FIELDS));
  }
  if (suspects === 0)
    log.error("shape", source.position(document.start), `not a policy: it has none of ${KINDS.join(", ")}`);
}
