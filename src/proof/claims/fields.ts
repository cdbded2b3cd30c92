/** Reads the fields of a claim, and reports faults with their places. */

import { didYouMean } from "../../policy/distance.js";
import type { IssueLog } from "../../policy/issue-log.js";
import type { Source } from "../../policy/text/source.js";
import type { MapNode, ScalarNode } from "../../policy/text/tree.js";
import type { ClaimedName } from "./types.js";

export class ClaimFields {
  private readonly source: Source;
  private readonly log: IssueLog;

  constructor(source: Source, log: IssueLog) {
    this.source = source;
    this.log = log;
  }

  /** Names with their places; undefined if the field is absent. */
  names(node: MapNode, field: string): readonly ClaimedName[] | undefined {
    if (!node.entries.has(field)) return undefined;
    return this.texts(node, field).map((one) => this.name(one));
  }

  name({ data, start }: ScalarNode): ClaimedName {
    return { name: String(data), at: this.source.position(start) };
  }

  /** A field that is a string or a list of strings; empty if it is absent. */
  texts(node: MapNode, field: string): readonly ScalarNode[] {
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

  /** A field that is a mapping without fields beside `known`; undefined if it is wrong. */
  map(node: MapNode, field: string, known?: readonly string[]): MapNode | undefined {
    const value = node.entries.get(field)?.value;
    if (value?.kind !== "map" || value.entries.size === 0) {
      const fields = known === undefined ? "" : ` with ${known.map((name) => `\`${name}\``).join(" and ")}`;
      this.wrong(value?.start ?? node.start, `\`${field}\` must be a mapping${fields}`);
      return undefined;
    }
    if (known !== undefined) this.known(value, known);
    return value;
  }

  /** Reports unknown fields. */
  known(node: MapNode, fields: readonly string[]): void {
    for (const [name, { key }] of node.entries) {
      if (!fields.includes(name)) this.wrong(key.start, `unknown field ${name}`, didYouMean(name, fields));
    }
  }

  at(start: number): ClaimedName["at"] {
    return this.source.position(start);
  }

  wrong(start: number, message: string, hint?: string): readonly never[] {
    this.log.error("shape", this.source.position(start), message, hint);
    return [];
  }
}
