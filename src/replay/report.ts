/** The result of a replay: counts, and the lines that are not the same. */

import { plural } from "../audit/plural.js";
import type { JsonObject } from "../cel/json.js";
import { CallIds } from "./call-ids.js";
import type { RecordedAnswer } from "./check-set.js";
import { explainable } from "./explainable.js";
import type { DifferentAnswer, LineResult, ReplayedLine } from "./replay.js";
import { isEarlier, TimeSpan } from "./time-span.js";

/** Requests that a report keeps for each kind of result; for later lines it has the line alone. */
const MAX_REQUESTS = 10_000;

/** Answers that lines share. */
const MAX_ANSWERS = 1_000;

type ListedResult = Exclude<LineResult, { kind: "same" }>;

export type LineKind = ListedResult["kind"];

/** A line of the log that is not the same. */
export interface ReportedLine {
  /** The file of the log; absent if there is only one. */
  readonly log?: string;
  /** From 1. */
  readonly line: number;
  readonly before?: RecordedAnswer;
  readonly after?: RecordedAnswer;
  /** The attributes that decide, and that the record lacks. */
  readonly reads?: readonly string[];
  readonly reason?: string;
  readonly request?: JsonObject;
  /** The keys above the key of the request, the parent first; `null` for one that could not be used. Absent: none. */
  readonly ancestors?: readonly (JsonObject | null)[];
}

/** Lines with one change of one action. */
export interface ChangeGroup {
  readonly kind: string;
  readonly action: string;
  readonly before: string;
  readonly after: string;
  readonly lines: number;
  readonly principals: number;
  /** The first of the lines. */
  readonly first: ReportedLine;
  /** The request of the first line, for `keyward explain`. Absent: it does not take such requests. */
  readonly request?: JsonObject;
}

export interface ReplayReport {
  readonly lines: number;
  readonly same: number;
  readonly changed: readonly ReportedLine[];
  readonly undetermined: readonly ReportedLine[];
  readonly unreproduced: readonly ReportedLine[];
  readonly skipped: readonly ReportedLine[];
  readonly groups: readonly ChangeGroup[];
  /** The earliest and the latest time of the replayed entries. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Unusual facts about the log, in sentences. */
  readonly notes: readonly string[];
}

interface Group extends Omit<ChangeGroup, "lines" | "principals"> {
  lines: number;
  readonly principals: Set<string>;
}

/** Collects the results of lines. */
export class ReplayTally {
  private lines = 0;
  private same = 0;
  private readonly found: { readonly [kind in LineKind]: ReportedLine[] } = {
    changed: [],
    undetermined: [],
    unreproduced: [],
    skipped: [],
  };
  private readonly answers = new Map<string, RecordedAnswer>();
  private readonly groups = new Map<string, Group>();
  private readonly span = new TimeSpan();
  /** The time of the entry before. */
  private last: string | undefined = undefined;
  private readonly ids = new CallIds();
  private backwards: { count: number; readonly first: ReportedLine } | undefined = undefined;

  add(at: Pick<ReportedLine, "log" | "line">, { id, time, result }: ReplayedLine): void {
    this.lines += 1;
    this.ids.add(id, result, at.line);
    if (time !== undefined && result.kind !== "skipped") this.pass(at, time);
    if (result.kind === "same") {
      this.same += 1;
      return;
    }
    const found = this.found[result.kind];
    const { kind, ...told } = this.shared(result);
    const { request, ancestors, ...short } = { request: undefined, ancestors: undefined, ...told };
    const asked = { ...(request && { request }), ...(ancestors && { ancestors }) };
    const line = { ...at, ...short, ...(found.length >= MAX_REQUESTS ? {} : asked) };
    found.push(line);
    if (result.kind === "changed") this.group(line, time, result);
  }

  /** The result with answers that other lines have, too: many lines have few answers. */
  private shared(result: ListedResult): ListedResult {
    if (result.kind !== "changed" && result.kind !== "unreproduced") return result;
    return { ...result, before: this.answer(result.before), after: this.answer(result.after) };
  }

  private answer(own: RecordedAnswer): RecordedAnswer {
    const name = JSON.stringify(own);
    const known = this.answers.get(name);
    if (known === undefined && this.answers.size < MAX_ANSWERS) this.answers.set(name, own);
    return known ?? own;
  }

  private pass(at: ReportedLine, time: string): void {
    this.span.add(time);
    if (this.last !== undefined && isEarlier(time, this.last)) {
      if (this.backwards === undefined) this.backwards = { count: 1, first: at };
      else this.backwards.count += 1;
    }
    this.last = time;
  }

  private group(first: ReportedLine, time: string | undefined, { before, after, request }: DifferentAnswer): void {
    const { principal, key: holder = principal, resource } = request;
    const kind = textOf(resource, "kind");
    for (const [action, now] of Object.entries(after)) {
      const then = before[action] ?? "";
      if (then === now) continue;
      const key = JSON.stringify([kind, action, then, now]);
      const made = this.groups.get(key) ?? {
        ...{ kind, action, before: then, after: now, first, ...explained(request, action, time) },
        ...{ lines: 0, principals: new Set<string>() },
      };
      made.lines += 1;
      made.principals.add(textOf(holder, "id"));
      this.groups.set(key, made);
    }
  }

  /** `more`: further notes. */
  report(more: readonly string[]): ReplayReport {
    const { lines, same, found, groups, span, backwards, ids } = this;
    const clock =
      backwards === undefined
        ? []
        : [`the clock runs backwards in ${plural(backwards.count, "line")}, first in line ${backwards.first.line}`];
    return {
      ...{ lines, same, ...found },
      groups: [...groups.values()].map(({ principals, ...group }) => ({ ...group, principals: principals.size })),
      ...{ from: span.first, to: span.last, notes: [...ids.notes(), ...clock, ...more] },
    };
  }
}

function explained(recorded: JsonObject, action: string, time: string | undefined): Pick<ChangeGroup, "request"> {
  const request = explainable(recorded, action, time);
  return request === undefined ? {} : { request };
}

function textOf(part: unknown, name: string): string {
  const value: unknown = typeof part === "object" && part !== null ? Reflect.get(part, name) : undefined;
  return typeof value === "string" ? value : "";
}
