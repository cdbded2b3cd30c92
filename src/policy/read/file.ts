/** Reads one policy file: text → document → shape → raw policy. */

import type { ExpressionCache } from "../expressions.js";
import type { SourcePosition } from "../issue.js";
import { IssueLog } from "../issue-log.js";
import { KINDS } from "../shape/document.js";
import { validateDocument } from "../shape/validate.js";
import type { Source } from "../text/source.js";
import type { TreeNode } from "../text/tree.js";
import { parseYaml } from "../text/yaml.js";
import { mapField } from "./fields.js";
import { definedBy } from "./missing-definitions.js";
import { readPolicy } from "./policy.js";
import type { RawPolicy } from "./raw.js";

/** Refused and disabled files list the names that they would have defined. `nothing`: a file with only comments. */
export type FileContents =
  | { readonly kind: "policy"; readonly policy: RawPolicy }
  | { readonly kind: "refused"; readonly names: readonly string[] }
  | { readonly kind: "disabled"; readonly names: readonly string[]; readonly at: SourcePosition }
  | { readonly kind: "nothing" };

/** Reads a file. Issues go to `log`. Never throws. */
export function readPolicyFile(source: Source, expressions: ExpressionCache, log: IssueLog): FileContents {
  const badAt = source.notTextAt();
  if (badAt >= 0) {
    log.error("not_text", source.position(badAt), "a character that no text file has");
    return { kind: "refused", names: [] };
  }
  const before = log.size;
  const tree = parseYaml(source, log, "server");
  if (tree === undefined) return log.size > before ? { kind: "refused", names: [] } : { kind: "nothing" };
  const shaped = validateDocument(tree, source, log);
  if (shaped === undefined) return { kind: "refused", names: namesIn(tree) };
  const disabled = shaped.document.entries.get("disabled");
  if (disabled?.value.kind === "scalar" && disabled.value.data === true) {
    return { kind: "disabled", names: definedBy(shaped.kind, shaped.body), at: source.position(disabled.key.start) };
  }
  return { kind: "policy", policy: readPolicy(shaped, { source, log, faults: new IssueLog(), expressions }) };
}

/** The names that a document with an invalid shape defines, as far as they can be told. */
function namesIn(tree: TreeNode): readonly string[] {
  if (tree.kind !== "map") return [];
  return KINDS.flatMap((kind) => {
    const body =
      mapField(tree, kind) ??
      mapField(
        tree,
        kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      );
    return body === undefined ? [] : definedBy(kind, body);
  });
}
