/**
 * Text to one document. YAML 1.2 with anchors, aliases and merge keys; JSON is YAML, and Cerbos reads `.json`
 * files with the same parser.
 */

import { Composer, type Document, isScalar, Lexer, type ParsedNode, Parser, Schema, type YAMLError } from "yaml";
import type { IssueLog } from "../issue-log.js";
import { MAX_NESTING } from "../limits.js";
import { composeTree } from "./compose.js";
import type { Source } from "./source.js";
import type { TreeNode } from "./tree.js";

type ParsedDocument = Document.Parsed<ParsedNode>;

/** One for all documents: making it costs more than parsing a small file. */
const SCHEMA = new Schema({ schema: "core", resolveKnownTags: false });

/**
 * The document of a file; undefined if there is none (nothing but comments) or if it is refused.
 * Of several syntax errors the first is reported: what follows it is mostly its echo.
 */
export function parseYaml(source: Source, log: IssueLog): TreeNode | undefined {
  const documents = parseDocuments(source, log);
  if (documents === undefined) return undefined;
  const [fault] = documents.flatMap(faultsOf).sort((a, b) => a.pos[0] - b.pos[0]);
  if (fault !== undefined) {
    log.error("yaml", source.position(Math.min(fault.pos[0], source.text.length)), fault.message);
    return undefined;
  }
  const [first, second] = documents.flatMap((document) => contentsOf(document) ?? []);
  if (second !== undefined) {
    log.error("multiple_documents", source.position(second.range[0]), "more than one YAML document in the file");
  }
  return first === undefined ? undefined : composeTree(first, source, log);
}

function parseDocuments(source: Source, log: IssueLog): readonly ParsedDocument[] | undefined {
  const parser = new Parser();
  const composer = new Composer<ParsedNode>({ schema: SCHEMA, uniqueKeys: false, prettyErrors: false });
  const documents: ParsedDocument[] = [];
  for (const lexeme of new Lexer().lex(source.text)) {
    for (const token of parser.next(lexeme)) documents.push(...composer.next(token));
    if (parser.stack.length > MAX_NESTING) {
      const at = source.position(Math.min(parser.offset, source.text.length));
      log.error("too_large", at, `nested more than ${MAX_NESTING} levels deep`);
      return undefined;
    }
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end());
  return documents;
}

/** Errors, and the warning of a tag that has no meaning here. */
function faultsOf(document: ParsedDocument): readonly YAMLError[] {
  return [...document.errors, ...document.warnings.filter((warning) => warning.code === "TAG_RESOLVE_FAILED")];
}

function contentsOf(document: ParsedDocument): ParsedNode | undefined {
  const contents = document.contents;
  return contents === null || (isScalar(contents) && contents.source === "" && contents.type === "PLAIN")
    ? undefined
    : contents;
}
