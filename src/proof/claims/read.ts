/** Reads claims from `*.claims.yaml`. Every issue has its position, and unknown fields are refused. */

import { OUTCOMES, type Outcome } from "../../decisions/types.js";
import { didYouMean } from "../../policy/distance.js";
import type { PolicyIssue, SourcePosition } from "../../policy/issue.js";
import { IssueLog } from "../../policy/issue-log.js";
import type { Expression } from "../../policy/model.js";
import { scalarOffset } from "../../policy/text/offsets.js";
import { Source } from "../../policy/text/source.js";
import type { MapNode, ScalarNode, TreeNode } from "../../policy/text/tree.js";
import { parseYaml } from "../../policy/text/yaml.js";
import { readRequestExpression } from "./expression.js";
import { FIELDS } from "./schema.js";
import type { Claim, ClaimedName, RoleHierarchy } from "./types.js";

/**
 * Reads the claims of a file in YAML or JSON. `path` is the name of the file in positions. A file with issues has no
 * claims; each issue has its file, line and column.
 */
export function readClaims(
  path: string,
  text: string,
): { readonly claims: readonly Claim[]; readonly issues: readonly PolicyIssue[] } {
  const log = new IssueLog();
  const source = new Source(path, text);
  const tree = parseYaml(source, log);
  if (tree === undefined) {
    if (log.size === 0)
      log.error("shape", source.position(0), "the file is empty: write a list of claims under `claims`");
    return { claims: [], issues: log.issues };
  }
  const claims = new ClaimReader(source, log).claims(tree);
  return { claims: log.size > 0 ? [] : claims, issues: log.issues };
}

const ALLOWED: readonly Outcome[] = ["allow"];
const REFUSED: readonly Outcome[] = ["insufficient_permissions"];
const ROLE_FIELDS = ["role", "includes"] as const;

class ClaimReader {
  private readonly source: Source;
  private readonly log: IssueLog;

  constructor(source: Source, log: IssueLog) {
    this.source = source;
    this.log = log;
  }

  claims(tree: TreeNode): readonly Claim[] {
    const list = tree.kind === "map" ? tree.entries.get("claims")?.value : undefined;
    if (tree.kind !== "map" || list === undefined)
      return this.wrong(tree.start, "the file must be a mapping with the field `claims`");
    this.known(tree, ["claims"]);
    if (list.kind !== "list" || list.items.length === 0) {
      return this.wrong(list.start, "`claims` must be a list of one claim or more");
    }
    return list.items.flatMap((item) => {
      if (item.kind !== "map") return this.wrong(item.start, "a claim must be a mapping");
      return this.claim(item);
    });
  }

  private claim(node: MapNode): readonly Claim[] {
    this.known(node, FIELDS);
    const sentence = node.entries.get("claim")?.value;
    if (sentence?.kind !== "scalar" || typeof sentence.data !== "string" || sentence.data.trim() === "") {
      return this.wrong(node.start, "a claim needs the field `claim`, a sentence that states it");
    }
    const pair = node.entries.has("together") ? this.pair(node) : undefined;
    if (node.entries.has("together") && pair === undefined) return [];
    const isOrder = ROLE_FIELDS.some((field) => node.entries.has(field));
    const roles = isOrder ? this.roles(node) : undefined;
    if (isOrder && roles === undefined) return [];
    const never = pair !== undefined ? ALLOWED : roles !== undefined ? REFUSED : this.outcomes(node);
    if (never === undefined) return [];
    return [
      {
        claim: sentence.data.trim(),
        operations: pair === undefined ? this.names(node, "operations") : [pair[0]],
        together: pair?.[1],
        roles,
        kinds: this.names(node, "kinds"),
        assume: this.texts(node, "assume").flatMap((one) => this.expression(one)),
        never,
        at: this.source.position(node.start),
      },
    ];
  }

  /** Two operations that no request is allowed both. */
  private pair(node: MapNode): readonly [ClaimedName, ClaimedName] | undefined {
    if (this.hasOther(node, "together", ["operations", "never", "always"])) return undefined;
    const [first, second, ...more] = this.names(node, "together") ?? [];
    if (first !== undefined && second !== undefined && more.length === 0 && first.name !== second.name) {
      return [first, second];
    }
    const at = node.entries.get("together")?.value.start ?? node.start;
    this.wrong(at, "`together` must be a list of two different operations");
    return undefined;
  }

  /** A role, and a role that it includes. */
  private roles(node: MapNode): RoleHierarchy | undefined {
    if (this.hasOther(node, "role", ["together", "never", "always"])) return undefined;
    const [role, includes] = ROLE_FIELDS.map((field) => this.names(node, field) ?? []);
    const [first, ...more] = role ?? [];
    const [second, ...others] = includes ?? [];
    if (first === undefined || second === undefined || more.length + others.length > 0 || first.name === second.name) {
      this.wrong(node.start, "a claim about a hierarchy needs `role` and `includes`, two different roles");
      return undefined;
    }
    return { role: first, includes: second };
  }

  /** Reports a field that the form of the claim excludes. */
  private hasOther(node: MapNode, form: string, excluded: readonly string[]): boolean {
    const other = excluded.find((field) => node.entries.has(field));
    if (other !== undefined) {
      this.wrong(node.start, `a claim has both \`${form}\` and \`${other}\`: split it into two claims`);
    }
    return other !== undefined;
  }

  /** The outcomes that break a claim. */
  private outcomes(node: MapNode): readonly Outcome[] | undefined {
    const [never, always] = [this.texts(node, "never"), this.texts(node, "always")];
    const isGiven = (field: string) => node.entries.has(field);
    if (isGiven("never") === isGiven("always")) {
      const both = "a claim has both `never` and `always`: split it into two claims";
      const neither =
        "a claim needs `never` (the outcomes that must not occur) or `always` (the only permitted outcomes)";
      this.wrong(node.start, isGiven("never") ? both : neither);
      return undefined;
    }
    const named = [...never, ...always].flatMap((one): readonly Outcome[] => {
      const found = OUTCOMES.find((outcome) => outcome === one.data);
      const hint = didYouMean(String(one.data), OUTCOMES);
      return found === undefined ? this.wrong(one.start, `must be one of ${OUTCOMES.join(", ")}`, hint) : [found];
    });
    return isGiven("never") ? named : OUTCOMES.filter((outcome) => !named.includes(outcome));
  }

  private names(node: MapNode, field: string): readonly ClaimedName[] | undefined {
    if (!node.entries.has(field)) return undefined;
    return this.texts(node, field).map((one) => ({ name: String(one.data), at: this.source.position(one.start) }));
  }

  /** A field that is a string or a list of strings; empty if it is absent. */
  private texts(node: MapNode, field: string): readonly ScalarNode[] {
    const value = node.entries.get(field)?.value;
    if (value === undefined) return [];
    const items = value.kind === "list" ? value.items : [value];
    if (items.length === 0) return this.wrong(value.start, `\`${field}\` must not be empty`);
    return items.flatMap((item): readonly ScalarNode[] =>
      item.kind === "scalar" && typeof item.data === "string" && item.data !== ""
        ? [item]
        : this.wrong(item.start, `\`${field}\` must be a text, or a list of texts`),
    );
  }

  private expression(node: ScalarNode): readonly Expression[] {
    const text = String(node.data);
    const position = (offset: number): SourcePosition =>
      this.source.position(scalarOffset(this.source.text, node, offset));
    const read = readRequestExpression(text, position, this.log);
    return read === undefined ? [] : [read];
  }

  private known(node: MapNode, fields: readonly string[]): void {
    for (const [name, { key }] of node.entries) {
      if (!fields.includes(name)) this.wrong(key.start, `unknown field ${name}`, didYouMean(name, fields));
    }
  }

  private wrong(start: number, message: string, hint?: string): readonly never[] {
    this.log.error("shape", this.source.position(start), message, hint);
    return [];
  }
}
