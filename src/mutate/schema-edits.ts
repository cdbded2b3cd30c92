/** Edits of JSON Schemas: each looser by one bound. */

import { IssueLog } from "../policy/issue-log.js";
import type { PolicyFile } from "../policy/parse.js";
import { Source } from "../policy/text/source.js";
import { dataOf, type MapNode, type TreeNode } from "../policy/text/tree.js";
import { parseYaml } from "../policy/text/yaml.js";
import type { Edit } from "./edit.js";
import { itemSpan, valueSpan } from "./node-spans.js";

/** The bounds, and the step that loosens each. */
const STEPS: ReadonlyMap<string, number> = new Map([
  ["minimum", -1],
  ["exclusiveMinimum", -1],
  ["minLength", -1],
  ["minItems", -1],
  ["minProperties", -1],
  ["maximum", 1],
  ["exclusiveMaximum", 1],
  ["maxLength", 1],
  ["maxItems", 1],
  ["maxProperties", 1],
]);

/** Bounds that count something, and are never negative. */
const COUNTING = /^(?:min|max)(?:Length|Items|Properties)$/;

export function schemaEdits({ path, text }: PolicyFile): { readonly source: Source; readonly edits: readonly Edit[] } {
  const source = new Source(path, text);
  const tree = parseYaml(source, new IssueLog());
  return { source, edits: tree?.kind === "map" ? editsIn(tree, source.text) : [] };
}

/** The maps of these keywords hold schemas by names, so their keys are no keywords. */
const NAMED: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/** Keywords that hold data. */
const DATA: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"]);

function editsIn(schema: MapNode, text: string): readonly Edit[] {
  return [...schema.entries].flatMap(([keyword, { value }]) => [
    ...loosened(keyword, value, text),
    ...(DATA.has(keyword) ? [] : schemasIn(keyword, value)).flatMap((inner) => editsIn(inner, text)),
  ]);
}

function schemasIn(keyword: string, value: TreeNode): readonly MapNode[] {
  if (value.kind === "list") return value.items.flatMap((item) => (item.kind === "map" ? [item] : []));
  if (value.kind !== "map") return [];
  if (!NAMED.has(keyword)) return [value];
  return [...value.entries.values()].flatMap(({ value: inner }) => (inner.kind === "map" ? [inner] : []));
}

function loosened(keyword: string, value: TreeNode, text: string): readonly Edit[] {
  const step = STEPS.get(keyword);
  if (value.kind === "scalar") {
    const other = typeof value.data === "number" && step !== undefined ? value.data + step : undefined;
    const isOpened = keyword === "additionalProperties" && value.data === false;
    if (!isOpened && (other === undefined || (other < 0 && COUNTING.test(keyword)))) return [];
    const to = isOpened ? "true" : String(other);
    return [{ ...valueSpan(text, value), to, change: `schema bound loosened: ${keyword} is ${to}` }];
  }
  if (keyword !== "required" || value.kind !== "list") return [];
  return value.items.flatMap((item, i) => {
    const span = itemSpan(text, value, i);
    return span === undefined
      ? []
      : [{ ...span, to: "", change: `schema bound loosened: ${dataOf(item)} is optional` }];
  });
}
