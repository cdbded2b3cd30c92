/** Reads claims from `*.claims.yaml`. Every issue has its position, and unknown fields are refused. */

import type { PolicyIssue, SourcePosition } from "../../policy/issue.js";
import { IssueLog } from "../../policy/issue-log.js";
import type { Expression } from "../../policy/model.js";
import { scalarOffset } from "../../policy/text/offsets.js";
import { Source } from "../../policy/text/source.js";
import type { MapNode, ScalarNode, TreeNode } from "../../policy/text/tree.js";
import { parseYaml } from "../../policy/text/yaml.js";
import { readRequestExpression } from "./expression.js";
import { ClaimFields } from "./fields.js";
import { readForm } from "./read-form.js";
import { FIELDS } from "./schema.js";
import type { Claim } from "./types.js";

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

class ClaimReader {
  private readonly source: Source;
  private readonly log: IssueLog;
  private readonly fields: ClaimFields;

  constructor(source: Source, log: IssueLog) {
    this.source = source;
    this.log = log;
    this.fields = new ClaimFields(source, log);
  }

  claims(tree: TreeNode): readonly Claim[] {
    const { fields } = this;
    const list = tree.kind === "map" ? tree.entries.get("claims")?.value : undefined;
    if (tree.kind !== "map" || list === undefined)
      return fields.wrong(tree.start, "the file must be a mapping with the field `claims`");
    fields.known(tree, ["claims"]);
    if (list.kind !== "list" || list.items.length === 0) {
      return fields.wrong(list.start, "`claims` must be a list of one claim or more");
    }
    return list.items.flatMap((item) => {
      if (item.kind !== "map") return fields.wrong(item.start, "a claim must be a mapping");
      return this.claim(item);
    });
  }

  private claim(node: MapNode): readonly Claim[] {
    const { fields } = this;
    fields.known(node, FIELDS);
    const sentence = node.entries.get("claim")?.value;
    if (sentence?.kind !== "scalar" || typeof sentence.data !== "string" || sentence.data.trim() === "") {
      return fields.wrong(node.start, "a claim needs the field `claim`, a sentence that states it");
    }
    const stated = readForm(node, fields);
    if (stated === undefined) return [];
    const assumed = fields.texts(node, "assume");
    const expressions = assumed.filter(({ data }) => data !== VALID).flatMap((one) => this.expression(one));
    return [
      {
        claim: sentence.data.trim(),
        operations: stated.operations ?? fields.names(node, "operations"),
        kinds: fields.names(node, "kinds"),
        assume: { expressions, isValid: assumed.some(({ data }) => data === VALID) },
        form: stated.form,
        at: this.source.position(node.start),
      },
    ];
  }

  private expression(node: ScalarNode): readonly Expression[] {
    const text = String(node.data);
    const position = (offset: number): SourcePosition =>
      this.source.position(scalarOffset(this.source.text, node, offset));
    const read = readRequestExpression(text, position, this.log);
    return read === undefined ? [] : [read];
  }
}

/** The assumption that requests are valid. */
const VALID = "valid";
