/**
 * Decides recorded requests again: is the answer still the recorded one?
 *
 * A record may lack attributes that the request had. An attribute is known to have been absent where the server recorded
 * an error that says so. Every other attribute that a policy reads and the record lacks is unknown, unless the caller
 * says that the log is complete. A line is the same or changed only if it is so for every completion of its request.
 */

import { plural } from "../audit/plural.js";
import { isObject, type JsonObject } from "../cel/json.js";
import { parseTimestamp } from "../cel/time.js";
import type { Timestamp } from "../cel/values.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { Outcome } from "../decisions/types.js";
import type { CheckEngine } from "../engine/evaluate/check-engine.js";
import type { CheckInput } from "../engine/evaluate/check-types.js";
import { CheckSet, gapsOf, type RecordedAnswer } from "./check-set.js";
import { allAnswers } from "./completions.js";
import { DecisionSet } from "./decision-set.js";
import {
  type EntryHead,
  type LogEntry,
  NO_LAYERS,
  type RecordedCheck,
  type RecordedPlan,
  readEntry,
  type SkipReason,
} from "./log-entry.js";
import type { RecordedDecision } from "./own-record.js";

/** The name of a plan's filter in an {@link RecordedAnswer}. */
export const PLAN = "filter";

/** The answers before and after a change; the recorded one, and the one of policies that do not reproduce it. */
export interface DifferentAnswer extends Recorded {
  readonly kind: "changed" | "unreproduced";
  readonly before: RecordedAnswer;
  readonly after: RecordedAnswer;
}

interface Undetermined extends Recorded {
  readonly kind: "undetermined";
  readonly reads: readonly string[];
}

export type LineResult =
  | { readonly kind: "same" }
  | DifferentAnswer
  | Undetermined
  | { readonly kind: "skipped"; readonly reason: SkipReason };

export interface ReplayedLine extends EntryHead {
  readonly result: LineResult;
}

interface Recorded {
  /** The recorded input. */
  readonly request: JsonObject;
  /** The keys above the key of the request, the parent first; `null` for one that could not be used. Absent: none. */
  readonly ancestors?: readonly (JsonObject | null)[];
}

export interface ReplayOptions {
  /** The set that a change is made to: lines that it does not answer as recorded are `unreproduced`. */
  readonly old?: CheckEngine;
  /** True if the log has every attribute of its requests. Default: false. Decision records tell it themselves. */
  readonly isComplete?: boolean;
  /** The same policies, for decision records. Absent: these are skipped. */
  readonly decisions?: { readonly now: PolicySet; readonly old?: PolicySet | undefined };
}

/** The answers of both sets for each combination of answers; undefined: there are too many combinations. */
interface Completions {
  readonly results: readonly { readonly old: RecordedAnswer | undefined; readonly now: RecordedAnswer }[] | undefined;
  readonly questions: readonly string[];
}

/** `before`: the recorded answer. */
function resultOf(
  { results, questions }: Completions,
  before: RecordedAnswer,
  recorded: Recorded,
  namesIn: (questions: readonly string[]) => readonly string[],
): LineResult {
  if (results === undefined) return { kind: "undetermined", reads: namesIn(questions), ...recorded };
  const possible = results.filter(({ old }) => old === undefined || areEqual(old, before));
  if (possible.length === 0) return { kind: "unreproduced", before, after: results[0]?.old ?? {}, ...recorded };
  const changed = possible.filter(({ now: after }) => !areEqual(after, before));
  if (changed.length === 0) return { kind: "same" };
  if (changed.length < possible.length) return { kind: "undetermined", reads: namesIn(questions), ...recorded };
  return { kind: "changed", before, after: changed[0]?.now ?? {}, ...recorded };
}

/** Replays decision records. */
class DecisionReplay {
  private readonly now: DecisionSet;
  private readonly old: DecisionSet | undefined;

  constructor(now: PolicySet, old: PolicySet | undefined) {
    this.now = new DecisionSet(now);
    this.old = old && new DecisionSet(old);
  }

  replayed({ request, outcome, reads }: RecordedDecision): LineResult {
    if (reads === undefined) return { kind: "undetermined", reads: ["all attributes: a record without them"], request };
    const ancestors = reads.ancestors.map((link) => link?.key ?? null);
    const recorded = { request, ...(ancestors.length === 0 ? {} : { ancestors }) };
    const now = this.now.about(request, reads);
    const old = this.old?.about(request, reads);
    if (now === undefined || (this.old !== undefined && old === undefined)) {
      return { kind: "undetermined", reads: ["the account, or a request that is malformed"], ...recorded };
    }
    const answer = (made: Outcome | undefined) => (made === undefined ? undefined : { [request.operation]: made });
    const isWhole = !now.isLacking && old?.isLacking !== true;
    const completions = isWhole
      ? { results: [{ old: answer(old?.whole()), now: { [request.operation]: now.whole() } }], questions: [] }
      : allAnswers((choose) => ({
          old: answer(old?.completed(choose)),
          now: { [request.operation]: now.completed(choose) },
        }));
    return resultOf(completions, { [request.operation]: outcome }, recorded, namesInRecord);
  }
}

/** Replays the lines of a log on `now`. */
export class Replay {
  private readonly now: CheckSet;
  private readonly old: CheckSet | undefined;
  private readonly isComplete: boolean;
  private readonly decisions: DecisionReplay | undefined;
  /** Entries whose time stood for the clock of the server, which it does not record. */
  private timed = 0;

  constructor(now: CheckEngine, { old, isComplete = false, decisions }: ReplayOptions = {}) {
    this.now = new CheckSet(now);
    this.old = old && new CheckSet(old);
    this.isComplete = isComplete;
    this.decisions = decisions && new DecisionReplay(decisions.now, decisions.old);
  }

  /** The result of a line. Never throws. */
  line(text: string): ReplayedLine {
    const entry = readEntry(text);
    return { id: entry.id, time: entry.time, result: this.entry(entry) };
  }

  /** The result of an entry. */
  entry(entry: LogEntry): LineResult {
    if (entry.kind === "skipped") return { kind: "skipped", reason: entry.reason };
    if (entry.kind === "decision") {
      return this.decisions?.replayed(entry.decision) ?? { kind: "skipped", reason: NO_LAYERS };
    }
    const now = entry.time === undefined ? undefined : parseTimestamp(entry.time);
    if (now !== undefined && this.readsClock(entry)) this.timed += 1;
    return worstOf(
      entry.kind === "plan" ? [this.plan(entry.plan, now)] : entry.checks.map((one) => this.check(one, now)),
    );
  }

  /** Unusual facts about the replayed entries, in sentences. */
  notes(): readonly string[] {
    const { timed } = this;
    return timed === 0
      ? []
      : [`the server records no clock: ${plural(timed, "line")} had the time of the entry as now()`];
  }

  private readsClock(entry: Extract<LogEntry, { kind: "check" | "plan" }>): boolean {
    const sets = this.old === undefined ? [this.now] : [this.now, this.old];
    const inputs = entry.kind === "plan" ? [entry.plan] : entry.checks.map(({ input }) => input);
    return sets.some((set) => inputs.some((input) => set.readsClock(input)));
  }

  private check(
    { input: recorded, effects, missing, request }: RecordedCheck,
    time: Timestamp | undefined,
  ): LineResult {
    const input: CheckInput = { ...recorded, now: time };
    const before = Object.fromEntries(input.actions.map((action) => [action, effects.get(action) ?? ""]));
    const now = this.now.about(input);
    const old = this.old?.about(input);
    const gaps = this.isComplete ? undefined : gapsOf(input, missing, old === undefined ? [now] : [now, old]);
    const completions =
      gaps === undefined
        ? { results: [{ old: old?.whole(), now: now.whole() }], questions: [] }
        : allAnswers((choose) => ({
            old: old?.completed(gaps, choose),
            now: now.completed(gaps, choose),
          }));
    return resultOf(completions, before, { request }, namesIn);
  }

  private plan(
    { principal, resource, actions, jwt, filter, request }: RecordedPlan,
    now: Timestamp | undefined,
  ): LineResult {
    const input = { principal, resource, actions, jwt, now };
    const text = (set: CheckSet): string => set.filter(input);
    const before = { [PLAN]: filter };
    const old = this.old === undefined ? filter : text(this.old);
    const after = text(this.now);
    const sets = this.old === undefined ? [this.now] : [this.now, this.old];
    if (!this.isComplete && sets.some((set) => set.isLackingForFilter(input)))
      return { kind: "undetermined", reads: ["principal"], request };
    if (old !== filter) return { kind: "unreproduced", before, after: { [PLAN]: old }, request };
    return after === filter ? { kind: "same" } : { kind: "changed", before, after: { [PLAN]: after }, request };
  }
}

const ORDER = ["unreproduced", "changed", "undetermined", "skipped", "same"] as const;

/** The result of a line with several resources. */
function worstOf(results: readonly LineResult[]): LineResult {
  const found = ORDER.flatMap((kind) => results.find((one) => one.kind === kind) ?? [])[0];
  return found ?? { kind: "same" };
}

function areEqual(a: RecordedAnswer, b: RecordedAnswer): boolean {
  return Object.keys(b).every((action) => a[action] === b[action]);
}

/** The attributes that the questions are about. */
function namesIn(questions: readonly string[]): readonly string[] {
  const names = questions.flatMap((question) => {
    const asked: unknown = JSON.parse(question);
    const [owner, name] = Array.isArray(asked) ? asked : [];
    return owner === "principal" || owner === "resource" ? `${owner}.attr.${String(name)}` : [];
  });
  return names.length === 0 ? ["attributes as a whole"] : names;
}

/** The same of decision records. Questions about a key, or the account, begin with its name. */
function namesInRecord(questions: readonly string[]): readonly string[] {
  const names = questions.flatMap((question) => {
    const at = question.indexOf("[");
    const part = question.slice(0, at).trim();
    const asked: unknown = JSON.parse(question.slice(at));
    const [owner, name, present] = Array.isArray(asked) ? asked : [];
    if (owner === "principal" || owner === "resource")
      return `${owner === "resource" ? owner : part}.attr.${String(name)}`;
    return Array.isArray(present) ? present.flatMap((read) => presentName(read, part)) : [];
  });
  return names.length === 0 ? ["attributes as a whole"] : [...new Set(names)];
}

function presentName(read: unknown, part: string): readonly string[] {
  if (!isObject(read) || typeof read.name !== "string") return [];
  return [`${read.owner === "resource" ? "resource" : part}.attr.${read.name}`];
}
