/** `keyward who`: lists all ways in which an operation is allowed, in words, each with a request. */

import { plural } from "../../audit/plural.js";
import { assumptionFault } from "../../audit/who/asked.js";
import { timeText } from "../../audit/who/key-history.js";
import { KeyPowers } from "../../audit/who/keys.js";
import type { UnknownPart } from "../../audit/who/types.js";
import { type WhoOptions, whoMay } from "../../audit/who/who.js";
import { usageOf } from "../../cel/expression-usage.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { expressionsOf } from "../../policy/policy-expressions.js";
import type { NoSolver } from "../../solver/no-solver.js";
import type { Solver } from "../../solver/solver.js";
import { policiesOf as policiesIn } from "../../space/deciding-rules.js";
import { LAYERS } from "../../space/dimension.js";
import { type Arguments, argumentOf, choice, countOf, policiesOf, readArguments } from "../arguments.js";
import { EXIT, type ExitCode, endedBy, type Streams, UsageError } from "../exit.js";
import { loadSet } from "../load-set.js";
import { intoFile, OUTPUT_OPTION } from "../output-file.js";
import { SET_OPTIONS, SET_USAGE } from "../policy-options.js";
import { Progress } from "../progress.js";
import { TOTAL_OPTIONS, totalTimeOf, withSolver } from "../solver-options.js";
import { formatOption, type Usage } from "../usage.js";
import { type AskedMoment, momentOf, type PoliciesAt, policiesAt } from "./at.js";
import { readKeyHistory } from "./key-history.js";
import { JsonReport, reportKeys, TextReport, type WhoReport } from "./report.js";

const FORMATS = ["text", "json"] as const;

export const ASSUME_OPTION = {
  value: "EXPR",
  does: "only requests for which this is true: CEL over key, resource, account and now(), as in claims",
};

/** Options of the solver for a search for ways. */
export const SEARCH_OPTIONS = {
  ...TOTAL_OPTIONS,
  "total-time": {
    ...TOTAL_OPTIONS["total-time"],
    does: "time limit for all solver questions together (default 120)",
  },
};

export const WHO: Usage = {
  name: "who",
  takes: [`OPERATION ${SET_USAGE}`],
  does: "Lists all ways in which an operation is allowed, in words, each with an example request. Exit code 0: the list is proved complete; 5: it is not.",
  options: {
    ...SET_OPTIONS,
    kind: {
      value: "KIND",
      does: "the kind of resource; default: every kind for which the policies know the operation",
    },
    role: { value: "R", does: "only requests of a key that has this role and no other" },
    assume: ASSUME_OPTION,
    at: {
      value: "DATE",
      does: "by the policies of that time, from the git history: an RFC 3339 timestamp, or a day (2026-10-31): its end, in UTC",
    },
    keys: {
      value: "SOURCE",
      does: "also answer for each of these keys: the states of the keys over time, in any form that keyward matrix reads",
    },
    limit: { value: "N", does: "the most ways listed for each kind (default 100)" },
    format: formatOption(FORMATS),
    output: OUTPUT_OPTION,
    ...SEARCH_OPTIONS,
  },
};

export function who(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return intoFile(readArguments(args, WHO, 2), streams, answered);
}

/** What is asked: the policies, and the moment that they are of. */
interface WhoQuestion {
  readonly operation: string;
  readonly set: PolicySet;
  readonly options: WhoOptions;
  readonly asked: AskedMoment | undefined;
  readonly commit: Pick<PoliciesAt, "commit" | "committed"> | undefined;
}

async function answered(given: Arguments, streams: Streams): Promise<ExitCode> {
  const { texts } = given;
  const operation = argumentOf(given, 0, "OPERATION");
  const path = policiesOf(given, 1);
  const format = choice("format", texts.get("format") ?? "text", FORMATS);
  const limit = countOf("limit", texts.get("limit"), 1);
  const [kind, role, assume, at, keys] = ["kind", "role", "assume", "at", "keys"].map((name) => texts.get(name));
  // By itself: between parentheses, `false) || (true` would be another expression.
  const fault = assume === undefined ? undefined : assumptionFault({ assume });
  if (fault !== undefined) throw unanswered(fault);
  if (role !== undefined && keys !== undefined) throw new UsageError("--role and --keys exclude each other");
  const asked = at === undefined ? undefined : momentOf(at);
  const commit = asked && (await policiesAt(path, asked, given, streams));
  const set = commit === undefined ? await loadSet(path, given, streams) : commit.set;
  if (set === undefined) return EXIT.policies;
  const assumed = [...(assume === undefined ? [] : [assume]), ...(asked === undefined ? [] : timeOf(set, asked))];
  const options = {
    ...(role === undefined ? {} : { role }),
    ...(assumed.length === 0 ? {} : { assume: assumed.map((text) => `(${text}\n)`).join(" && ") }),
    ...(kind === undefined ? {} : { kind }),
    ...(limit === undefined ? {} : { limit }),
    ...totalTimeOf(given),
  };
  const question = { operation, set, options, asked, commit };
  return await withSolver(given, async (solver) => {
    const report = format === "json" ? new JsonReport(streams) : new TextReport(streams);
    return await answer(question, keys, solver, report, streams);
  });
}

async function answer(
  { operation, set, options, asked, commit }: WhoQuestion,
  source: string | undefined,
  solver: Solver | NoSolver | undefined,
  report: WhoReport,
  streams: Streams,
): Promise<ExitCode> {
  // A source that cannot be read ends the command at once.
  const history = source === undefined ? undefined : await readKeyHistory(source, set, streams);
  const progress = new Progress(streams);
  report.start(asked, commit);
  const found = await whoMay(set, operation, solver, {
    ...options,
    onProgress: (done, total, { kind }) => progress.show(() => `${done} of ${plural(total, "kind")} searched: ${kind}`),
    onFound: (ways) => {
      progress.clear();
      report.found(ways);
    },
  });
  progress.clear();
  if (found.kind === "unknown") throw unanswered(found);
  const { operations } = found;
  const open = operations.filter(({ result }) => result !== "proved").map(({ kind }) => kind);
  const reasons = open.length === 0 ? [] : [`the list is not proved complete for ${operation} on ${open.join(", ")}`];
  if (history !== undefined) {
    const kinds = [...new Set(operations.map(({ kind }) => kind))];
    const powers = new KeyPowers(set, operation, kinds, solver, options);
    const moment = asked?.moment ?? Date.now();
    reasons.push(...(await reportKeys({ set, powers, history, moment }, report, streams)));
  }
  report.end(reasons.length === 0);
  return reasons.length === 0 ? EXIT.ok : endedBy("who", EXIT.unproven, reasons.join("; "), streams);
}

/** The assumption that requests are made at a moment, if the policies read the time. */
function timeOf(set: PolicySet, { start, moment }: AskedMoment): readonly string[] {
  const read = LAYERS.flatMap((layer) => policiesIn(set, layer).all.flatMap(expressionsOf));
  if (!read.some(({ expr }) => usageOf(expr).needsTime)) return [];
  return [`now() >= timestamp("${timeText(start)}") && now() <= timestamp("${timeText(moment)}")`];
}

/** The error for a question that has no answer. */
export function unanswered({ message, hint }: UnknownPart): UsageError {
  return new UsageError(hint === undefined ? message : `${message} (${hint})`);
}
