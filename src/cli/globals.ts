/** The file of `--globals`: the server's `engine.globals`, in YAML or JSON. */

import type { GlobalValue } from "../engine/evaluate/check-engine.js";
import { decodeText } from "../node/text.js";
import { positionText } from "../policy/issue.js";
import { IssueLog } from "../policy/issue-log.js";
import { Source } from "../policy/text/source.js";
import type { ScalarNode, TreeNode } from "../policy/text/tree.js";
import { parseYaml } from "../policy/text/yaml.js";
import { UsageError } from "./exit.js";
import { issueLine } from "./issues.js";
import { readGiven } from "./load-set.js";

export type Globals = { readonly [name: string]: GlobalValue };

/** Throws a {@link UsageError} for an unreadable file, and for values that the server would read differently. */
export async function readGlobals(path: string): Promise<Globals> {
  const log = new IssueLog();
  const text = decodeText(await readGiven(path), path, log) ?? "";
  return parseGlobals(path, text, log);
}

/** Expressions cannot read these names. The server refuses them too. */
const RESERVED: ReadonlySet<string> = new Set(["false", "in", "null", "true"]);

function parseGlobals(path: string, text: string, log: IssueLog): Globals {
  const source = new Source(path, text);
  const root = parseYaml(source, log);
  const [issue] = log.issues;
  if (issue !== undefined) throw new UsageError(issueLine(issue));
  if (root === undefined) return {};
  if (root.kind !== "map") throw new UsageError(`${path}: must be a map of names to values`);
  for (const [name, { key }] of root.entries) {
    if (/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !RESERVED.has(name)) continue;
    throw new UsageError(
      `${lineAndColumnOf(source, key.start)}: ${JSON.stringify(name)} cannot be the name of a global`,
    );
  }
  return membersOf(root.entries, source);
}

function membersOf(entries: ReadonlyMap<string, { readonly value: TreeNode }>, source: Source): Globals {
  const members: { [name: string]: GlobalValue } = Object.create(null);
  for (const [name, { value }] of entries) members[name] = globalOf(value, source);
  return members;
}

function globalOf(node: TreeNode, source: Source): GlobalValue {
  switch (node.kind) {
    case "map":
      return membersOf(node.entries, source);
    case "list":
      return node.items.map((item) => globalOf(item, source));
    case "scalar":
      return scalarOf(node, source);
  }
}

/** Integers stay exact: within 64 bits they become `bigint`. */
function scalarOf(node: ScalarNode, source: Source): GlobalValue {
  if (node.style !== "plain") return node.data;
  const { text } = node;
  if (text === undefined) return node.data;
  if (MEANT_OTHERWISE.test(text)) {
    const place = lineAndColumnOf(source, node.start);
    throw new UsageError(
      `${place}: ${text} means one thing in YAML 1.2 and another to the server: quote or rewrite it`,
    );
  }
  if (!/^[-+]?\d+$/.test(text)) return node.data;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : Number(value);
}

/** The server parses its configuration as YAML 1.1, where these are booleans or numbers. */
const MEANT_OTHERWISE = /^(?:y|n|yes|no|on|off|[-+]?0\d+|[-+]?0b[01_]+|[-+]?[\d.]+_[\d_.]*(?:e[-+]?\d+)?)$/i;

function lineAndColumnOf(source: Source, offset: number): string {
  return positionText(source.position(offset));
}
