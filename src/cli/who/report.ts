/** The answer of `keyward who`, as text or JSON. */

import { plural } from "../../audit/plural.js";
import { type KeyAt, type KeyChange, keyAt, timeText } from "../../audit/who/key-history.js";
import type { KeyPower, KeyPowers } from "../../audit/who/keys.js";
import { wayLines, whoText } from "../../audit/who/text.js";
import type { OperationWays } from "../../audit/who/types.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { jsonText, printable } from "../../policy/escape.js";
import type { Streams } from "../exit.js";
import type { RefusedEntry } from "../matrix/data.js";
import { paintFor } from "../paint.js";
import { Progress } from "../progress.js";
import type { AskedMoment, PoliciesAt } from "./at.js";
import { type KeyHistory, schemaFaults } from "./key-history.js";

/** The answer for one key. */
export interface KeyAnswer {
  readonly id: string;
  /** `cannot`: its history or its attributes are refused. */
  readonly may: KeyPower["may"] | "cannot";
  /** Why not, or why this is not known. */
  readonly why?: string;
  readonly roles?: readonly string[];
  readonly operations: readonly OperationWays[];
  /** The later changes of the key. `may`: whether the key may after the last change, by the same policies. */
  readonly since: readonly { readonly is: KeyChange["is"]; readonly at: string; readonly may?: KeyPower["may"] }[];
}

export interface WhoReport {
  start(asked: AskedMoment | undefined, commit: Pick<PoliciesAt, "commit" | "committed"> | undefined): void;
  found(ways: OperationWays): void;
  refused(entries: readonly RefusedEntry[]): void;
  key(answer: KeyAnswer): void;
  end(isProved: boolean): void;
}

interface AskedKeys {
  readonly set: PolicySet;
  readonly powers: KeyPowers;
  readonly history: KeyHistory;
  readonly moment: number;
}

/** Reports on each key. Returns the reasons why the answer is not complete. */
export async function reportKeys(
  { set, powers, history, moment }: AskedKeys,
  report: WhoReport,
  streams: Streams,
): Promise<readonly string[]> {
  report.refused(history.refused);
  const progress = new Progress(streams);
  let [done, open] = [0, 0];
  for (const [id, states] of history.states) {
    progress.show(() => `${done} of ${plural(history.states.size, "key")}`);
    const doubt = history.doubtful.get(id);
    const answer: KeyAnswer =
      doubt === undefined
        ? await answerOf(keyAt(id, states, moment), { set, powers, history, moment })
        : { id, may: "cannot", why: doubt, operations: [], since: [] };
    progress.clear();
    report.key(answer);
    done += 1;
    if (answer.may === "unknown" || answer.may === "cannot") open += 1;
  }
  progress.clear();
  return [
    ...(open === 0 ? [] : [`it is not known for ${plural(open, "key")}`]),
    ...(history.isIncomplete ? ["entries of the key history without an id are refused"] : []),
  ];
}

async function answerOf(found: KeyAt, { set, powers, moment }: AskedKeys): Promise<KeyAnswer> {
  const { id, key, absent, since } = found;
  const at = new Date(moment);
  const later = since.map((one) => ({ is: one.is, at: timeText(one.at) }));
  if (key === undefined) {
    const why = absent === undefined ? "" : `${absent.is}, ${timeText(absent.at)}`;
    return { id, may: "no", why, operations: [], since: later };
  }
  const faults = schemaFaults(set, key);
  const { roles } = key;
  if (faults.length > 0) return { id, may: "cannot", why: faults.join("; "), roles, operations: [], since: later };
  const power = await powers.of(key, at);
  const last = since.at(-1);
  if (power.may !== "yes" || last?.key === undefined) return { id, roles, ...power, since: later };
  const { may } = schemaFaults(set, last.key).length > 0 ? { may: "unknown" as const } : await powers.of(last.key, at);
  return { id, roles, ...power, since: [...later.slice(0, -1), { is: last.is, at: timeText(last.at), may }] };
}

export class TextReport implements WhoReport {
  private readonly streams: Streams;
  private separator = "";
  private readonly counts = { yes: 0, no: 0, unknown: 0, cannot: 0 };
  private hasKeys = false;
  private isPast = false;

  constructor(streams: Streams) {
    this.streams = streams;
  }

  start(asked: AskedMoment | undefined, commit: Pick<PoliciesAt, "commit" | "committed"> | undefined): void {
    if (asked === undefined || commit === undefined) return;
    this.isPast = true;
    this.out(`At ${asked.text}, by the policies of commit ${commit.commit} (${timeText(commit.committed)}):\n`);
  }

  found(ways: OperationWays): void {
    this.out(whoText([ways], paintFor(this.streams)));
  }

  refused(entries: readonly RefusedEntry[]): void {
    this.hasKeys = true;
    for (const { file, line, entry, message } of entries) {
      const place = line === undefined ? `${file}: entry ${entry}` : `${file}:${line}`;
      this.streams.err(`${printable(`${place}: refused: ${message}`)}\n`);
    }
  }

  key({ id, may, why, roles, operations, since }: KeyAnswer): void {
    this.counts[may] += 1;
    const paint = paintFor(this.streams);
    const held = roles === undefined ? "" : ` (${roles.length === 0 ? "no role" : roles.join(", ")})`;
    const name = paint("strong", printable(`key ${id}${held}`));
    const lines = [`${name} ${this.words(may)}${why === undefined ? "" : `: ${printable(why)}`}`];
    for (const one of operations.flatMap(({ ways }) => ways)) lines.push("  when", ...wayLines(one));
    for (const { is, at, may: later } of since) {
      const still = later === undefined ? "" : `, and then ${later === "yes" ? "may" : this.later(later)}`;
      lines.push(`  since then: ${is}, ${at}${still}`);
    }
    this.out(`${lines.join("\n")}\n`);
  }

  end(): void {
    if (!this.hasKeys) return;
    const { yes, no, unknown, cannot } = this.counts;
    const parts = [
      `${yes} ${this.isPast ? "could" : "may"}`,
      `${no} ${this.isPast ? "could" : "may"} not`,
      ...(unknown === 0 ? [] : [`${unknown} not known`]),
      ...(cannot === 0 ? [] : [`${cannot} refused`]),
    ];
    this.out(`${plural(yes + no + unknown + cannot, "key")}: ${parts.join(", ")}\n`);
  }

  private words(may: KeyAnswer["may"]): string {
    if (may === "yes") return this.isPast ? "could" : "may";
    if (may === "no") return this.isPast ? "could not" : "may not";
    return may === "unknown" ? "is not decided" : "cannot be decided on";
  }

  private later(may: KeyPower["may"]): string {
    return may === "no" ? "may not, by the same policies" : "this is not known";
  }

  private out(text: string): void {
    this.streams.out(this.separator + text);
    this.separator = "\n";
  }
}

export class JsonReport implements WhoReport {
  private readonly streams: Streams;
  private head: object = {};
  private readonly operations: OperationWays[] = [];
  private readonly entries: RefusedEntry[] = [];
  private keys: KeyAnswer[] | undefined;

  constructor(streams: Streams) {
    this.streams = streams;
  }

  start(asked: AskedMoment | undefined, commit: Pick<PoliciesAt, "commit" | "committed"> | undefined): void {
    if (asked === undefined || commit === undefined) return;
    this.head = {
      ...{ at: timeText(asked.moment), commit: commit.commit, committed: timeText(commit.committed) },
    };
  }

  found(ways: OperationWays): void {
    this.operations.push(ways);
  }

  refused(entries: readonly RefusedEntry[]): void {
    this.keys = [];
    this.entries.push(...entries);
  }

  key(answer: KeyAnswer): void {
    this.keys?.push(answer);
  }

  end(isProved: boolean): void {
    const { head, operations, keys, entries } = this;
    const asked = keys === undefined ? {} : { keys, refused: entries };
    this.streams.out(`${jsonText({ result: isProved ? "proved" : "unproven", ...head, operations, ...asked }, 2)}\n`);
  }
}
