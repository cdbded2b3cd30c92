/** The parts of a policy document that mutants change. */

import { IssueLog } from "../policy/issue-log.js";
import type { PolicyFile } from "../policy/parse.js";
import { listField, mapField, mapsField, scalarField, textField } from "../policy/read/fields.js";
import { type ShapedDocument, validateDocument } from "../policy/shape/validate.js";
import { Source } from "../policy/text/source.js";
import type { ListNode, MapNode, ScalarNode, TreeNode } from "../policy/text/tree.js";
import { parseYaml } from "../policy/text/yaml.js";

/** A policy file with a valid shape. */
export interface PolicyDocument extends ShapedDocument {
  readonly source: Source;
}

/** The document of a policy file; undefined if it has only comments, or is refused. */
export function policyDocumentOf({ path, text }: PolicyFile): PolicyDocument | undefined {
  const source = new Source(path, text);
  const log = new IssueLog();
  const tree = parseYaml(source, log, "server");
  const shaped = tree && validateDocument(tree, source, log);
  return shaped && { ...shaped, source };
}

/** The kinds of names that rules list, in words. */
type PartNameKind = "role" | "operation" | "derived role" | "parent role" | "import";

export type PolicyPart =
  | { readonly kind: "rule"; readonly rules: ListNode; readonly index: number; readonly name: string }
  | { readonly kind: "effect"; readonly node: ScalarNode }
  /** `pool`: names of one pool can stand in each other's place. */
  | { readonly kind: "names"; readonly of: PartNameKind; readonly pool: string; readonly list: ListNode }
  | { readonly kind: "name"; readonly of: PartNameKind; readonly pool: string; readonly node: ScalarNode }
  /** A condition, or an item of one. `isOptional`: it is one of several items, each of which can be left out. */
  | { readonly kind: "match"; readonly node: MapNode; readonly isOptional: boolean }
  | { readonly kind: "variable"; readonly node: ScalarNode }
  | { readonly kind: "constant"; readonly node: ScalarNode; readonly name: string }
  | { readonly kind: "scope permissions"; readonly node: ScalarNode }
  | { readonly kind: "version"; readonly node: ScalarNode };

/** The parts of a document, in no particular order. */
export function partsOf({ kind, document, body }: PolicyDocument): readonly PolicyPart[] {
  const version = textField(body, "version") || "default";
  return [
    ...variablesIn(mapField(document, "variables")),
    ...variablesIn(mapField(mapField(body, "variables") ?? NOTHING, "local")),
    ...constantsIn(mapField(mapField(body, "constants") ?? NOTHING, "local")),
    ...namesIn(mapField(body, "variables"), "import", "import", "variables"),
    ...namesIn(mapField(body, "constants"), "import", "import", "constants"),
    ...namesIn(body, "importDerivedRoles", "import", "derived roles"),
    ...namesIn(body, "parentRoles", "parent role", "parent role"),
    ...scalarIn(body, "scopePermissions", "scope permissions"),
    ...scalarIn(body, "version", "version"),
    ...(kind === "exportVariables" ? variablesIn(mapField(body, "definitions")) : []),
    ...(kind === "exportConstants" ? constantsIn(mapField(body, "definitions")) : []),
    ...(kind === "derivedRoles" ? mapsField(body, "definitions").flatMap(derivedRoleParts) : []),
    ...rulesIn(body, "rules"),
    ...mapsField(body, "rules").flatMap((rule) => {
      const operations = `operation ${textField(body, "resource") || textField(rule, "resource")}`;
      return kind === "principalPolicy" ? personalParts(rule, operations) : ruleParts(rule, version, operations);
    }),
  ];
}

const NOTHING: MapNode = { kind: "map", entries: new Map(), start: 0 };

function ruleParts(rule: MapNode, version: string, operations: string): readonly PolicyPart[] {
  return [
    ...scalarIn(rule, "effect", "effect"),
    ...namesIn(rule, "actions", "operation", operations),
    ...namesIn(rule, "allowActions", "operation", operations),
    ...namesIn(rule, "roles", "role", `role ${version}`),
    ...namesIn(rule, "derivedRoles", "derived role", "derived role"),
    ...conditionIn(rule),
  ];
}

/** A rule of a principal policy: each of its actions is a rule. */
function personalParts(rule: MapNode, operations: string): readonly PolicyPart[] {
  return [
    ...rulesIn(rule, "actions"),
    ...mapsField(rule, "actions").flatMap((action): readonly PolicyPart[] => {
      const node = scalarField(action, "action");
      return [
        ...scalarIn(action, "effect", "effect"),
        ...(node === undefined ? [] : [{ kind: "name", of: "operation", pool: operations, node } as const]),
        ...conditionIn(action),
      ];
    }),
  ];
}

function derivedRoleParts(role: MapNode): readonly PolicyPart[] {
  return [...namesIn(role, "parentRoles", "parent role", "parent role"), ...conditionIn(role)];
}

function rulesIn(node: MapNode, field: string): readonly PolicyPart[] {
  const rules = node.entries.get(field)?.value;
  if (rules?.kind !== "list") return [];
  return rules.items.map((item, index) => ({ kind: "rule", rules, index, name: nameOf(item) }));
}

function nameOf(rule: TreeNode): string {
  return rule.kind === "map" ? textField(rule, "name") || textField(rule, "action") : "";
}

function namesIn(node: MapNode | undefined, field: string, of: PartNameKind, pool: string): readonly PolicyPart[] {
  const list = node?.entries.get(field)?.value;
  return list?.kind === "list" ? [{ kind: "names", of, pool, list }] : [];
}

function scalarIn<K extends "effect" | "scope permissions" | "version">(node: MapNode, field: string, kind: K) {
  const scalar = scalarField(node, field);
  return scalar === undefined ? [] : [{ kind, node: scalar } as const];
}

function conditionIn(node: MapNode): readonly PolicyPart[] {
  const match = mapField(mapField(node, "condition") ?? NOTHING, "match");
  return match === undefined ? [] : matchParts(match, false);
}

/** The operators of conditions with several items. */
export const QUANTIFIERS = ["all", "any", "none"] as const;

function matchParts(match: MapNode, isOptional: boolean): readonly PolicyPart[] {
  const inner = QUANTIFIERS.flatMap((name) => {
    const items = listField(mapField(match, name) ?? NOTHING, "of");
    return items.flatMap((item) => (item.kind === "map" ? matchParts(item, items.length > 1) : []));
  });
  return [{ kind: "match", node: match, isOptional }, ...inner];
}

function variablesIn(map: MapNode | undefined): readonly PolicyPart[] {
  return scalarsIn(map).map(({ node }) => ({ kind: "variable", node }));
}

function constantsIn(map: MapNode | undefined): readonly PolicyPart[] {
  return scalarsIn(map).map(({ node, name }) => ({ kind: "constant", node, name }));
}

function scalarsIn(map: MapNode | undefined): readonly { readonly node: ScalarNode; readonly name: string }[] {
  return [...(map?.entries ?? [])].flatMap(([name, { value }]) =>
    value.kind === "scalar" ? [{ node: value, name }] : [],
  );
}

/** The nodes of the expressions among parts. */
export function expressionNodesOf(parts: readonly PolicyPart[]): readonly ScalarNode[] {
  return parts.flatMap((part) => {
    if (part.kind === "variable") return [part.node];
    const node = part.kind === "match" ? scalarField(part.node, "expr") : undefined;
    return node === undefined ? [] : [node];
  });
}
