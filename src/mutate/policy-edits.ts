/** Edits of policy documents: effects, rules, names, conditions, constants, scope permissions and layers. */

import type { SetConfiguration } from "../decisions/configuration.js";
import { listField, mapField, scalarField } from "../policy/read/fields.js";
import type { ListNode, MapNode, ScalarNode, TreeNode } from "../policy/text/tree.js";
import { type Edit, quoted } from "./edit.js";
import { expressionEdits, otherLiterals } from "./expression-edits.js";
import { inStyle, itemSpan, nameInStyle, valueSpan } from "./node-spans.js";
import { type PolicyDocument, type PolicyPart, partsOf, QUANTIFIERS } from "./policy-parts.js";
import type { MutationVocabulary } from "./vocabulary.js";

/** The context of the edits of a document. */
export interface PolicyContext {
  readonly vocabulary: MutationVocabulary;
  readonly configuration: Pick<SetConfiguration, "permissionVersion" | "platformVersion">;
}

export function policyEdits(document: PolicyDocument, context: PolicyContext): readonly Edit[] {
  const edits = new PolicyEdits(document, context);
  return partsOf(document).flatMap((part) => edits.of(part));
}

const EFFECTS: ReadonlyMap<string, string> = new Map([
  ["EFFECT_ALLOW", "EFFECT_DENY"],
  ["EFFECT_DENY", "EFFECT_ALLOW"],
]);

const SCOPE_PERMISSIONS: ReadonlyMap<string, string> = new Map([
  ["SCOPE_PERMISSIONS_OVERRIDE_PARENT", "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS"],
  ["SCOPE_PERMISSIONS_UNSPECIFIED", "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS"],
  ["SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS", "SCOPE_PERMISSIONS_OVERRIDE_PARENT"],
]);

/** The quantifier that a condition gets. A single item is negated. */
const OTHER_QUANTIFIERS = { all: "any", any: "all", none: "any" } as const;

class PolicyEdits {
  private readonly document: PolicyDocument;
  private readonly context: PolicyContext;
  private readonly text: string;

  constructor(document: PolicyDocument, context: PolicyContext) {
    this.document = document;
    this.context = context;
    this.text = document.source.text;
  }

  of(part: PolicyPart): readonly Edit[] {
    switch (part.kind) {
      case "rule":
        return this.leftOut(part.rules, part.index, `rule left out: ${part.name || `the ${part.index + 1}th`}`);
      case "effect":
        return this.turned(part.node, EFFECTS, "effect turned");
      case "scope permissions":
        return this.turned(part.node, SCOPE_PERMISSIONS, "scope permissions turned");
      case "version":
        return this.turned(part.node, this.layers(), "layer exchanged");
      case "names":
        return this.names(part);
      case "name":
        return this.exchanged(part.node, [], part);
      case "match":
        return this.match(part.node, part.isOptional);
      case "variable":
        return expressionEdits(part.node, { ...this.ofDocument, isCondition: false, canBeLeftOut: true });
      case "constant":
        return this.constant(part.node, part.name);
    }
  }

  private get ofDocument() {
    return { document: this.document, vocabulary: this.context.vocabulary };
  }

  /** Each layer's version, with the other's. */
  private layers(): ReadonlyMap<string, string> {
    const { permissionVersion, platformVersion } = this.context.configuration;
    if (platformVersion === null) return new Map();
    return new Map([
      [permissionVersion, platformVersion],
      [platformVersion, permissionVersion],
    ]);
  }

  private replaced(node: ScalarNode, to: string, change: string): Edit {
    return { ...valueSpan(this.text, node), to, change };
  }

  private turned(node: ScalarNode, others: ReadonlyMap<string, string>, change: string): readonly Edit[] {
    const other = others.get(String(node.data));
    return other === undefined ? [] : [this.replaced(node, inStyle(other, node), `${change}: ${other}`)];
  }

  private leftOut(list: ListNode, index: number, change: string): readonly Edit[] {
    const span = itemSpan(this.text, list, index);
    return span === undefined ? [] : [{ ...span, to: "", change }];
  }

  private names(part: PolicyPart & { readonly kind: "names" }): readonly Edit[] {
    const { list, of } = part;
    const names = list.items.map(nameIn);
    return list.items.flatMap((item, i) => [
      ...this.leftOut(list, i, `${of} left out: ${names[i]}`),
      ...(item.kind === "scalar" ? this.exchanged(item, names, part) : []),
    ]);
  }

  private exchanged(
    node: ScalarNode,
    taken: readonly string[],
    { of, pool }: { readonly of: string; readonly pool: string },
  ): readonly Edit[] {
    const name = nameIn(node);
    const other = this.context.vocabulary.nameAfter(name, pool, taken);
    if (other === undefined) return [];
    return [this.replaced(node, nameInStyle(other, node), `${of} exchanged: ${name} for ${other}`)];
  }

  private match(node: MapNode, isOptional: boolean): readonly Edit[] {
    const expr = scalarField(node, "expr");
    if (expr !== undefined) {
      return expressionEdits(expr, { ...this.ofDocument, isCondition: true, canBeLeftOut: !isOptional });
    }
    return QUANTIFIERS.flatMap((name): readonly Edit[] => {
      const [key, nested] = [node.entries.get(name)?.key, mapField(node, name)];
      const list = nested?.entries.get("of")?.value;
      if (key === undefined || nested === undefined || list?.kind !== "list") return [];
      const isSingle = list.items.length === 1;
      const other = isSingle && name !== "none" ? "none" : OTHER_QUANTIFIERS[name];
      const start = this.text.indexOf(name, key.start);
      const exchanged = { start, end: start + name.length, to: other, change: `${name} exchanged for ${other}` };
      const items = isSingle ? [] : listField(nested, "of");
      return [
        exchanged,
        ...items.flatMap((item, i) => this.leftOut(list, i, `item of ${name} left out: ${this.words(item)}`)),
      ];
    });
  }

  private words(item: TreeNode): string {
    const expr = item.kind === "map" ? scalarField(item, "expr") : undefined;
    return expr === undefined ? "a condition" : quoted(String(expr.data));
  }

  private constant(node: ScalarNode, name: string): readonly Edit[] {
    if (typeof node.data === "string") {
      const other = nameInStyle(`${node.data}_`, node);
      return [this.replaced(node, other, `constant exchanged: ${name} is ${quoted(other)}`)];
    }
    const { start, end } = valueSpan(this.text, node);
    return otherLiterals(this.text.slice(start, end)).map((other) =>
      this.replaced(node, other, `constant exchanged: ${name} is ${other}`),
    );
  }
}

function nameIn(node: TreeNode): string {
  return node.kind === "scalar" ? String(node.data) : "";
}
