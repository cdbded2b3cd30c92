/**
 * Reads globals: the values that expressions read as `G.name`, in YAML or JSON. They are the server's `engine.globals`,
 * so values that the server would read differently are refused.
 */

import type { IssueLog } from "../issue-log.js";
import type { Source } from "../text/source.js";
import type { MapNode, ScalarNode, TreeNode } from "../text/tree.js";
import { parseYaml } from "../text/yaml.js";

/** JSON, and `bigint` for integers: those beyond the safe integers keep their value. */
export type GlobalValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly GlobalValue[]
  | { readonly [key: string]: GlobalValue };

export type Globals = { readonly [name: string]: GlobalValue };

/** The globals in a file of their own. Undefined: the file is refused, and `log` has the reasons. */
export function readGlobals(source: Source, log: IssueLog): Globals | undefined {
  const before = log.size;
  const root = parseYaml(source, log);
  if (log.size > before) return undefined;
  if (root === undefined) return {};
  if (root.kind === "map") return globalsIn(root, source, log);
  log.error("shape", source.position(root.start), "must be a map of names to values");
  return undefined;
}

/** Expressions cannot read these names. The server refuses them too. */
const RESERVED: ReadonlySet<string> = new Set(["false", "in", "null", "true"]);

/** The globals in a map. Undefined: one of them is refused, and `log` has the reasons. */
export function globalsIn(map: MapNode, source: Source, log: IssueLog): Globals | undefined {
  const before = log.size;
  for (const [name, { key }] of map.entries) {
    if (/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !RESERVED.has(name)) continue;
    log.error("shape", source.position(key.start), `${JSON.stringify(name)} cannot be the name of a global`);
  }
  const globals = new GlobalReader(source, log).members(map);
  return log.size > before ? undefined : globals;
}

class GlobalReader {
  private readonly source: Source;
  private readonly log: IssueLog;

  constructor(source: Source, log: IssueLog) {
    this.source = source;
    this.log = log;
  }

  members({ entries }: MapNode): Globals {
    const members: { [name: string]: GlobalValue } = Object.create(null);
    for (const [name, { value }] of entries) members[name] = this.value(value);
    return members;
  }

  private value(node: TreeNode): GlobalValue {
    switch (node.kind) {
      case "map":
        return this.members(node);
      case "list":
        return node.items.map((item) => this.value(item));
      case "scalar":
        return this.scalar(node);
    }
  }

  /** Integers stay exact: within 64 bits they become `bigint`. */
  private scalar({ style, text, data, start }: ScalarNode): GlobalValue {
    // A text keeps its value, also one that is tagged as a text: `!!str 1`.
    if (style !== "plain" || text === undefined || typeof data === "string") {
      if (style === "plain" && text !== undefined && MEANT_OTHERWISE.test(text)) this.refuse(text, start);
      return data;
    }
    if (MEANT_OTHERWISE.test(text)) this.refuse(text, start);
    if (!/^[-+]?\d+$/.test(text)) return data;
    const value = BigInt(text);
    return BigInt.asIntN(64, value) === value ? value : Number(value);
  }

  private refuse(text: string, start: number): void {
    const message = `${text} means one thing in YAML 1.2 and another to the server`;
    this.log.error("shape", this.source.position(start), message, "quote or rewrite it");
  }
}

/** The server parses its configuration as YAML 1.1, where these are booleans or numbers. */
const MEANT_OTHERWISE = /^(?:y|n|yes|no|on|off|[-+]?0\d+|[-+]?0b[01_]+|[-+]?[\d.]+_[\d_.]*(?:e[-+]?\d+)?)$/i;
