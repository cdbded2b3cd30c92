/** The names and constants that a policy set distinguishes: a mutant exchanges one for the next. */

import type { JsonValue } from "../cel/json.js";
import { parseExpression } from "../cel/parse.js";
import { Spans } from "../cel/spans.js";
import type { ScalarNode } from "../policy/text/tree.js";
import { type ComparedText, comparedTexts } from "./compared-texts.js";
import { expressionNodesOf, type PolicyDocument, type PolicyPart, partsOf } from "./policy-parts.js";
import { SchemaValues } from "./schema-values.js";

export class MutationVocabulary {
  private readonly names = new Map<string, Set<string>>();
  private readonly texts = new Map<string, Set<string>>();
  private readonly schemas: SchemaValues;

  /** `roles`: roles of the permission layer that no rule may name. */
  constructor(
    documents: readonly PolicyDocument[],
    schemas: ReadonlyMap<string, JsonValue>,
    roles: { readonly version: string; readonly names: readonly string[] },
  ) {
    this.schemas = new SchemaValues(schemas);
    for (const document of documents) {
      const parts = partsOf(document);
      for (const part of parts) for (const name of namesOf(part)) add(this.names, name.pool, name.text);
      for (const node of expressionNodesOf(parts)) this.addTexts(node);
    }
    for (const name of roles.names) add(this.names, `role ${roles.version}`, name);
  }

  private addTexts(node: ScalarNode): void {
    const source = String(node.data);
    const parsed = parseExpression(source);
    if (!parsed.ok) return;
    for (const { term, text } of comparedTexts(parsed.syntax, new Spans(source))) add(this.texts, term, text);
  }

  /** The name after this one in its pool, of those that are not `taken`. */
  nameAfter(name: string, pool: string, taken: readonly string[]): string | undefined {
    return after(name, [...(this.names.get(pool) ?? [])].sort(), taken);
  }

  /** The text after this one, of those that its term is compared with. */
  textAfter({ text, term, beside }: ComparedText, document: PolicyDocument): string {
    const known = [...this.schemas.of(term, document), ...[...(this.texts.get(term) ?? [])].sort()];
    return after(text, [...new Set(known)], beside) ?? `${text}_`;
  }
}

/** The next of `all` after `one`, in a circle. */
function after(one: string, all: readonly string[], taken: readonly string[]): string | undefined {
  const at = all.indexOf(one);
  return [...all.slice(at + 1), ...all.slice(0, Math.max(0, at))].find((other) => !taken.includes(other));
}

/** The names of a part that can stand in the place of others: those that are no patterns. */
function namesOf(part: PolicyPart): readonly { readonly pool: string; readonly text: string }[] {
  const nodes = part.kind === "names" ? part.list.items : part.kind === "name" ? [part.node] : [];
  if (part.kind !== "names" && part.kind !== "name") return [];
  return nodes.flatMap((node) => {
    const text = node.kind === "scalar" ? node.data : undefined;
    return typeof text === "string" && !/[*?[{]/.test(text) ? [{ pool: part.pool, text }] : [];
  });
}

function add(into: Map<string, Set<string>>, key: string, value: string): void {
  const known = into.get(key) ?? new Set();
  known.add(value);
  into.set(key, known);
}
