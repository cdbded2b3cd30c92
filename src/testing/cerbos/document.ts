/** A suite or fixture file to data that its schema allows, or to the server's words for what is wrong with it. */

import * as E from "fp-ts/lib/Either.js";
import { isObject, type JsonObject } from "../../cel/json.js";
import { compareText, IssueLog } from "../../policy/issue-log.js";
import type { PolicyFile } from "../../policy/parse.js";
import { Source } from "../../policy/text/source.js";
import { parseYaml } from "../../policy/text/yaml.js";
import { SchemaValidator } from "../../schema/validator.js";
import { CERBOS_SCHEMAS, type CerbosFileKind } from "./schemas.js";

const SCHEMA = "cerbos:///schema.json";

/** Each kind has a validator, and a copy of its schema, to itself: they share definitions, which belong to one document. */
const validators = new Map<CerbosFileKind, SchemaValidator>();

function validatorOf(kind: CerbosFileKind): SchemaValidator {
  const validator =
    validators.get(kind) ?? new SchemaValidator(new Map([[SCHEMA, structuredClone(CERBOS_SCHEMAS[kind])]]));
  validators.set(kind, validator);
  return validator;
}

/**
 * Files are read as policies are, by YAML 1.2: the server of 0.51 reads suites by another parser, of YAML 1.1, and of a
 * key that is there twice it takes the last. Later versions have one parser for both.
 */
export function readDocument({ path, text }: PolicyFile, kind: CerbosFileKind): E.Either<string, JsonObject> {
  const log = new IssueLog();
  const tree = parseYaml(new Source(path, text), log);
  const [issue] = log.issues;
  if (issue !== undefined) {
    const { line, column, message } = issue;
    return E.left(`failed to unmarshal file ${path}: ${message} (line ${line}, column ${column})`);
  }
  if (tree === undefined) return E.left(`empty file: ${path}`);
  const faults = new Map<string, string[]>();
  for (const fault of validatorOf(kind).validate(SCHEMA, tree.data)) {
    faults.set(fault.path, [...(faults.get(fault.path) ?? []), fault.message]);
  }
  if (faults.size === 0 && isObject(tree.data)) return E.right(tree.data);
  const rendered = [...faults].map(
    ([at, messages]) => `${at.replace(/(.)\/$/, "$1")}: [${messages.sort(compareText).join(" | ")}]`,
  );
  return E.left(`file is not valid: { ${rendered.sort(compareText).join(",")} }`);
}
