/** Parses a suite or fixture file. Right: data of the shape of its kind. Left: its faults, one line each. */

import * as E from "fp-ts/lib/Either.js";
import type { JsonObject } from "../../cel/json.js";
import { IssueLog } from "../../policy/issue-log.js";
import type { PolicyFile } from "../../policy/parse.js";
import { canonical } from "../../policy/shape/canonical.js";
import { hasShape } from "../../policy/shape/check.js";
import { Source } from "../../policy/text/source.js";
import { objectOf } from "../../policy/text/tree.js";
import { parseYaml } from "../../policy/text/yaml.js";
import { CERBOS_SHAPES, type CerbosFileKind } from "./shapes.js";

/** Files are parsed as policies are. The server crashes on an empty file; here an empty file is an error. */
export function readDocument({ path, text }: PolicyFile, kind: CerbosFileKind): E.Either<string, JsonObject> {
  const log = new IssueLog();
  const source = new Source(path, text);
  const tree = parseYaml(source, log);
  if (tree === undefined && log.size === 0) return E.left("\nthe file is empty");
  const shape = CERBOS_SHAPES[kind];
  const document = tree === undefined ? undefined : canonical(tree, shape, source, log);
  if (document !== undefined && hasShape(document, shape, source, log) && log.size === 0 && document.kind === "map") {
    return E.right(objectOf(document));
  }
  return E.left(log.issues.map(({ line, column, message }) => `\n${line}:${column} ${message}`).join(""));
}
