/** A suite or fixture file to data of the shape of its kind, or to what is wrong with it: a line for each fault. */

import * as E from "fp-ts/lib/Either.js";
import { isObject, type JsonObject } from "../../cel/json.js";
import { IssueLog } from "../../policy/issue-log.js";
import type { PolicyFile } from "../../policy/parse.js";
import { canonical } from "../../policy/shape/canonical.js";
import { hasShape } from "../../policy/shape/validate.js";
import { Source } from "../../policy/text/source.js";
import { parseYaml } from "../../policy/text/yaml.js";
import { validators } from "./generated/validators.js";
import { CERBOS_SHAPES, type CerbosFileKind } from "./shapes.js";

/** Files are read as policies are. The server crashes on an empty one; here it is an error. */
export function readDocument({ path, text }: PolicyFile, kind: CerbosFileKind): E.Either<string, JsonObject> {
  const log = new IssueLog();
  const source = new Source(path, text);
  const tree = parseYaml(source, log);
  if (tree === undefined && log.size === 0) return E.left("\nthe file is empty");
  const document = tree === undefined ? undefined : canonical(tree, CERBOS_SHAPES[kind], source, log);
  if (
    document !== undefined &&
    hasShape(validators[kind], document, source, log) &&
    log.size === 0 &&
    isObject(document.data)
  ) {
    return E.right(document.data);
  }
  return E.left(log.issues.map(({ line, column, message }) => `\n${line}:${column} ${message}`).join(""));
}
