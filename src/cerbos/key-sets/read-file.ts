/** Reads key sets from the configuration file of a Cerbos server. */

import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isObject, type JsonObject } from "../../cel/json.js";
import { issueLine } from "../../policy/issue-line.js";
import { IssueLog } from "../../policy/issue-log.js";
import { Source } from "../../policy/text/source.js";
import { dataOf } from "../../policy/text/tree.js";
import { parseYaml } from "../../policy/text/yaml.js";
import type { ReadToken } from "../json-api.js";
import { expectKeySetOptions, type KeySet } from "./options.js";

/**
 * How tokens are verified by the section `auxData.jwt` of a YAML or JSON file. Other sections are not read. Paths in it
 * are relative to the folder of the file. Loads `jose`. Rejects with an error that names the fault.
 */
export async function readKeySets(file: string): Promise<ReadToken> {
  const { auxData } = await yamlIn(file);
  const jwt: unknown = isObject(auxData) ? auxData.jwt : undefined;
  if (jwt === undefined) throw new Error("there is no section auxData.jwt");
  expectKeySetOptions(jwt);
  const { TokenVerifier } = await import("./verifier.js");
  const keySets = jwt.keySets.map((keySet) => withPathFrom(dirname(file), keySet));
  const verifier = await TokenVerifier.create({ ...jwt, keySets });
  return (token, now) => verifier.claims(token, now);
}

function withPathFrom(folder: string, keySet: KeySet): KeySet {
  const { local } = keySet;
  return local?.file === undefined ? keySet : { ...keySet, local: { ...local, file: resolve(folder, local.file) } };
}

async function yamlIn(file: string): Promise<JsonObject> {
  const log = new IssueLog();
  const text = new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file));
  const tree = parseYaml(new Source(file, text), log);
  if (log.size > 0) throw new Error(log.inOrder.map((issue) => issueLine(issue)).join("; "));
  const data = tree === undefined ? {} : dataOf(tree);
  if (!isObject(data)) throw new Error("the file must be a mapping of fields to values");
  return data;
}
