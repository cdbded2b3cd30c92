/**
 * Parses text into one document: YAML 1.2 with anchors, aliases and merge keys. JSON is YAML, and Cerbos reads `.json`
 * files with the same parser.
 */

import { Composer, type Document, isScalar, Lexer, type ParsedNode, Parser, Schema } from "yaml";
import { withoutStackTraces } from "../../cel/stack-traces.js";
import { MAX_DOCUMENTS, MAX_ERRORS_PER_FILE, MAX_NESTING } from "../../limits.js";
import type { IssueLog } from "../issue-log.js";
import { composeTree, type Dialect } from "./compose.js";
import { hasLoneReturn } from "./line-ends.js";
import { readPlainYaml } from "./plain-yaml.js";
import { type LexicalFault, ServerLexer } from "./server-lexer.js";
import type { Source } from "./source.js";
import type { TreeNode } from "./tree.js";
import { yamlHint } from "./yaml-hints.js";

type ParsedDocument = Document.Parsed<ParsedNode>;

/** Shared by all documents: making a schema costs more than parsing a small file. */
const SCHEMA = new Schema({ schema: "core", resolveKnownTags: false });

/**
 * The document of a file, in YAML 1.2 or as the server reads policies; undefined if it has only comments, or is refused.
 * Of several syntax errors the first is reported: later ones mostly follow from it.
 */
export function parseYaml(source: Source, log: IssueLog, dialect: Dialect = "core"): TreeNode | undefined {
  const plain = dialect === "server" && !source.hasMark ? readPlainYaml(source.text) : undefined;
  return plain ?? parseAnyYaml(source, log, dialect);
}

/** Parses any document, with the `yaml` package. */
export function parseAnyYaml(source: Source, log: IssueLog, dialect: Dialect): TreeNode | undefined {
  if (hasLoneReturn(source, log)) return undefined;
  const lexis = dialect === "server" ? new ServerLexer(source) : undefined;
  const documents = withoutStackTraces(() => parseDocuments(source, log, lexis));
  if (documents === undefined) return undefined;
  const [fault] = [...documents.flatMap(faultsOf), ...(lexis?.faults ?? [])].sort((a, b) => a.at - b.at);
  if (fault !== undefined) {
    const [rest = ""] = source.text.slice(fault.at).split("\n", 1);
    const at = source.position(Math.min(fault.at, source.text.length));
    log.error(fault.code, at, fault.message, yamlHint(fault.message, rest));
    return undefined;
  }
  const [first, second] = documents.flatMap((document) => contentsOf(document) ?? []);
  if (second !== undefined) {
    log.error("multiple_documents", source.position(second.range[0]), "more than one YAML document in the file");
  }
  return first === undefined ? undefined : composeTree(first, source, log, dialect);
}

function parseDocuments(
  source: Source,
  log: IssueLog,
  lexis: ServerLexer | undefined,
): readonly ParsedDocument[] | undefined {
  const parser = new Parser();
  const composer = new Composer<ParsedNode>({ schema: SCHEMA, uniqueKeys: false, prettyErrors: false });
  const documents: ParsedDocument[] = [];
  let errors = 0;
  for (const lexeme of new Lexer().lex(source.text)) {
    lexis?.see(lexeme, parser.offset);
    for (const token of parser.next(lexeme)) {
      if (token.type === "error") errors++;
      documents.push(...composer.next(token));
    }
    // Only the first error is reported. A million of them would take gigabytes.
    if (errors > MAX_ERRORS_PER_FILE) break;
    if (parser.stack.length > MAX_NESTING) {
      const at = source.position(Math.min(parser.offset, source.text.length));
      log.error("too_large", at, `nested more than ${MAX_NESTING} levels deep`);
      return undefined;
    }
    // An empty document is an object as well, so half a million separators would take half a gigabyte.
    if (documents.length > MAX_DOCUMENTS) {
      const at = source.position(Math.min(parser.offset, source.text.length));
      log.error("too_large", at, `more than ${MAX_DOCUMENTS} documents in the file`);
      return undefined;
    }
  }
  lexis?.end(source.text.length);
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end());
  return documents;
}

/** Errors, and warnings about unknown tags. */
function faultsOf({ errors, warnings }: ParsedDocument): readonly LexicalFault[] {
  const tags = warnings.filter(({ code }) => code === "TAG_RESOLVE_FAILED");
  return [
    ...errors.map(({ pos, message }) => ({ at: pos[0], code: "yaml" as const, message })),
    ...tags.map(({ pos, message }) => ({ at: pos[0], code: "unsupported" as const, message })),
  ];
}

function contentsOf(document: ParsedDocument): ParsedNode | undefined {
  const contents = document.contents;
  return contents === null || (isScalar(contents) && contents.source === "" && contents.type === "PLAIN")
    ? undefined
    : contents;
}
