/** `--at`: the policies as they were at a moment, from the history of their git repository. */

import * as E from "fp-ts/lib/Either.js";
import { timeText } from "../../audit/who/key-history.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { GitError, lastCommitAt } from "../../node/git.js";
import type { Arguments } from "../arguments.js";
import { pathFrom } from "../directory.js";
import { type Streams, UsageError } from "../exit.js";
import { expectNoBundle, isFile } from "../load-set.js";
import { loadOptionsOf } from "../policy-options.js";
import { inRevision, isDirectory } from "../policy-source.js";
import { isDay, momentIn } from "./key-history.js";

/** A moment that is asked about. */
export interface AskedMoment {
  /** Milliseconds since 1970: of a day its last one. */
  readonly moment: number;
  /** The first millisecond of the day, or the moment itself. */
  readonly start: number;
  /** For people. */
  readonly text: string;
}

/** The policies at a moment, and their commit. `set` is undefined if they are refused; their faults are then printed. */
export interface PoliciesAt {
  readonly set: PolicySet | undefined;
  readonly commit: string;
  readonly committed: number;
}

const DAY = 86_400_000;

/** Reads the value of `--at`. A day is one of UTC, and asks about its end. Throws a {@link UsageError}. */
export function momentOf(text: string): AskedMoment {
  const start = momentIn(text);
  if (Number.isNaN(start)) throw new UsageError("--at must be a date (2026-10-31, in UTC) or an RFC 3339 timestamp");
  if (start > Date.now()) throw new UsageError(`--at ${text} is in the future`);
  if (!isDay(text)) return { start, moment: start, text: timeText(start) };
  return { start, moment: start + DAY - 1, text: `the end of ${text} (UTC)` };
}

/** Reads the policies from the last commit of the current branch up to a moment. Nothing is checked out. */
export async function policiesAt(
  path: string,
  { moment }: AskedMoment,
  given: Arguments,
  streams: Streams,
): Promise<PoliciesAt> {
  expectNoBundle(given);
  const directory = pathFrom(streams.cwd, path);
  if (await isFile(directory)) throw new UsageError("--at needs a directory: a bundle has no history");
  // A directory that is gone today is found from the current one.
  const isThere = await isDirectory(directory);
  const cwd = isThere ? directory : (streams.cwd ?? process.cwd());
  const { commit, time } = await lastCommit(cwd, moment, path);
  const source = inRevision(commit, isThere ? "." : path, cwd);
  const loaded = await source.policies(loadOptionsOf(given));
  if (E.isRight(loaded)) return { set: loaded.right, commit, committed: time };
  for (const issue of loaded.left) streams.err(`${source.line(issue)}\n`);
  return { set: undefined, commit, committed: time };
}

async function lastCommit(cwd: string, moment: number, path: string) {
  try {
    return await lastCommitAt(cwd, moment);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new UsageError(`--at needs the git history of ${path}: ${error.message}`);
  }
}
