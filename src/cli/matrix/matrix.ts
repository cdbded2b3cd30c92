/** `keyward matrix`: the outcomes for real keys, resources and accounts. */

import { rolesNamed } from "../../audit/findings/findings.js";
import { MatrixChanges } from "../../audit/matrix/changes.js";
import { Matrix, type MatrixColumn } from "../../audit/matrix/matrix.js";
import { plural } from "../../audit/plural.js";
import { dateOf } from "../../cel/time.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { policySetHash } from "../../decisions/policy-set-hash.js";
import { printable } from "../../policy/escape.js";
import { type Arguments, choice, expectAbsent, policiesOf, readArguments, requiredOption } from "../arguments.js";
import { EXIT, type ExitCode, endedBy, type Streams, UsageError } from "../exit.js";
import { loadSet } from "../load-set.js";
import { readNow } from "../now-option.js";
import { intoFile, OUTPUT_OPTION, outputOf, writeOutput } from "../output-file.js";
import { SET_OPTIONS, SET_USAGE } from "../policy-options.js";
import { Progress } from "../progress.js";
import { requireOneStdin } from "../read-input.js";
import { expectSeparateFiles } from "../separate-files.js";
import { formatOption, type Usage } from "../usage.js";
import { type MatrixData, readMatrixData } from "./data.js";
import { type ReadEarlier, readEarlier } from "./earlier.js";
import type { ChangeSummary, MatrixWriter } from "./report.js";
import { csvWriter } from "./write-csv.js";
import { jsonWriter } from "./write-json.js";

const FORMATS = ["csv", "json", "xlsx"] as const;

/** The attribute of a resource with the id of its account. */
const ACCOUNT_BY = "accountId";

export const MATRIX: Usage = {
  name: "matrix",
  takes: [`${SET_USAGE} --keys SOURCE --resources SOURCE [--accounts SOURCE]`],
  does: "Tells for each key, resource and operation of your data whether it is allowed, refused for the key, or forbidden. Exit code 4: it differs from the matrix of --against.",
  options: {
    ...SET_OPTIONS,
    keys: {
      value: "SOURCE",
      does: "the keys: a file of JSON lines or one JSON list (-: standard input), FILE.csv, or a query to PostgreSQL: FILE.sql or postgres:QUERY",
    },
    resources: { value: "SOURCE", does: "the resources, likewise" },
    accounts: { value: "SOURCE", does: "the accounts, likewise; not needed for a permission-only set" },
    "account-by": {
      value: "NAME",
      does: `the attribute of a resource with the id of its account (default ${ACCOUNT_BY}); if there is a single account, it owns all resources`,
    },
    operation: {
      value: "NAME",
      multiple: true,
      does: "an operation that the policies do not name, such as one that a pattern matches (may be repeated)",
    },
    "allowed-only": { does: "list only the cells that are allowed" },
    against: {
      value: "EARLIER",
      does: "an earlier matrix (CSV or JSON): write the differences in place of the cells; exit code 4 if there are any",
    },
    now: { value: "T", does: "the time of all decisions, RFC 3339 (default: now)" },
    format: formatOption(FORMATS),
    output: OUTPUT_OPTION,
  },
};

export function matrix(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const given = readArguments(args, MATRIX, 1);
  const format = choice("format", given.texts.get("format") ?? "csv", FORMATS);
  if (format !== "xlsx") {
    return intoFile(given, streams, (_, to) => made(given, to, format === "csv" ? csvWriter(to) : jsonWriter(to)));
  }
  expectSeparateFiles(given, streams);
  const file = outputOf(given);
  if (file === undefined) throw new UsageError("--format xlsx needs --output FILE");
  return intoWorkbook(given, streams, file);
}

async function intoWorkbook(given: Arguments, streams: Streams, file: string): Promise<ExitCode> {
  const { workbookWriter } = await import("./write-workbook.js");
  return await made(
    given,
    streams,
    workbookWriter((bytes) => writeOutput(file, bytes, streams.cwd)),
  );
}

async function made(given: Arguments, streams: Streams, writer: MatrixWriter): Promise<ExitCode> {
  const { texts, switches } = given;
  if (texts.has("against")) expectAbsent(given, ["allowed-only"], "does not go with --against");
  if (!texts.has("accounts")) expectAbsent(given, ["account-by"], "goes with --accounts");
  const policies = await loadSet(policiesOf(given), given, streams);
  const files = {
    keys: requiredOption(given, "keys"),
    resources: requiredOption(given, "resources"),
    accounts: texts.get("accounts"),
    accountBy: texts.get("account-by") ?? ACCOUNT_BY,
  };
  const against = texts.get("against");
  requireOneStdin([files.keys, files.resources, files.accounts, against]);
  const at = texts.get("now");
  const now = at === undefined ? new Date() : dateOf(readNow(at));
  if (policies === undefined) return EXIT.policies;
  if (policies.platform !== undefined && files.accounts === undefined) {
    throw new UsageError("--accounts SOURCE is missing: the platform layer decides by the account");
  }
  const earlier = against === undefined ? undefined : await readEarlier(against, streams);
  const data = await readMatrixData(policies, files, streams);
  tellRefused(data, streams);
  const found = new Matrix(policies, data.resources, now, given.lists.get("operation"));
  for (const kind of found.unknownKinds()) {
    streams.err(`${printable(`no policy knows an operation on the kind "${kind}": its resources have no cells`)}\n`);
  }
  const changes = earlier && comparison(earlier, found.columns);
  const head = {
    ...{ policySetHash: await policySetHash(policies), dataHash: data.hash, now: now.toISOString() },
    ...{ keys: data.keys.length, resources: data.resources.length, accounts: data.accounts, refused: data.refused },
    ...{ allowedOnly: switches.has("allowed-only"), keyIds: data.keys.map(({ id }) => id) },
    resourceIds: data.resources.map(({ kind, id }) => ({ kind, id })),
    ...(earlier === undefined ? {} : { against: earlier.origin }),
  };
  writer.start(head, found.columns);
  await writeRows(found, data, changes, writer, streams);
  const changed = earlier && changes && summaryOf(earlier, changes, data);
  await writer.end({
    totals: found.totals(),
    keysThatMayAll: found.keysThatMayAll(),
    rolesWithoutKeys: rolesWithoutKeys(policies, data),
    ...(changed === undefined ? {} : { changed }),
  });
  return changed === undefined ? EXIT.ok : endedByChanges(changed, streams);
}

function tellRefused({ refused }: MatrixData, streams: Streams): void {
  for (const { file, entry, line, message } of refused) {
    const place = line === undefined ? `${file}: entry ${entry}` : `${file}:${line}`;
    streams.err(`${printable(`${place}: refused: ${message}`)}\n`);
  }
}

function comparison(earlier: ReadEarlier, columns: readonly MatrixColumn[]): MatrixChanges {
  const changes = new MatrixChanges(earlier.matrix, columns);
  const ambiguous = changes.ambiguous();
  if (ambiguous === undefined) return changes;
  const { resource, operation } = ambiguous;
  throw new UsageError(
    `--against: two kinds of resources have the id ${resource} and the operation ${operation}: compare with a matrix in JSON`,
  );
}

async function writeRows(
  found: Matrix,
  { keys }: MatrixData,
  changes: MatrixChanges | undefined,
  writer: MatrixWriter,
  streams: Streams,
): Promise<void> {
  const progress = new Progress(streams);
  for (const [done, key] of keys.entries()) {
    const row = found.row(key);
    if (changes === undefined) writer.row(key.id, row);
    else writer.changes(changes.ofRow(key.id, row));
    await streams.drained?.();
    progress.show(() => `${done + 1} of ${plural(keys.length, "key")}`);
  }
  for (const went of changes?.ofKeysThatWent() ?? []) writer.changes(went);
  progress.clear();
}

/** The roles that policies name and no key has. */
function rolesWithoutKeys(policies: PolicySet, { keys }: MatrixData): readonly string[] {
  const held = new Set(keys.flatMap(({ part }) => part?.roles ?? []));
  return rolesNamed(policies).filter((role) => role !== "*" && !held.has(role));
}

function summaryOf({ isComplete }: ReadEarlier, changes: MatrixChanges, { resources }: MatrixData): ChangeSummary {
  const { counts, keysThatCame } = changes;
  const columns = resources.map(({ kind, id }) => ({ kind, resource: id }));
  const named = (all: readonly Pick<MatrixColumn, "kind" | "resource">[]) =>
    all.map(({ kind, resource }) => ({ kind, id: resource }));
  return {
    newlyAllowed: counts["newly allowed"],
    noLongerAllowed: counts["no longer allowed"],
    refusedDifferently: counts["refused differently"],
    ...{ keysThatCame, keysThatWent: changes.keysThatWent() },
    resourcesThatCame: named(changes.resourcesThatCame(columns)),
    resourcesThatWent: named(changes.resourcesThatWent(columns)),
    isComplete,
  };
}

/** Tells what came and went, which CSV has no place for, and ends the command. */
function endedByChanges(changed: ChangeSummary, streams: Streams): ExitCode {
  const { keysThatCame, keysThatWent, resourcesThatCame, resourcesThatWent, isComplete } = changed;
  const lists = [
    ["keys that came", keysThatCame],
    ["keys that went", keysThatWent],
    ["resources that came", resourcesThatCame.map(({ id }) => id)],
    ["resources that went", resourcesThatWent.map(({ id }) => id)],
  ] as const;
  for (const [what, ids] of lists) {
    if (ids.length > 0) streams.err(`${printable(`${ids.length} ${what}: ${listed(ids)}`)}\n`);
  }
  if (!isComplete) {
    streams.err("the earlier matrix lists only what was allowed: what had no rights in it counts as new\n");
  }
  const { newlyAllowed, noLongerAllowed, refusedDifferently } = changed;
  const count = newlyAllowed + noLongerAllowed + refusedDifferently;
  if (count + lists.reduce((sum, [, ids]) => sum + ids.length, 0) === 0) return EXIT.ok;
  const words = `${newlyAllowed} newly allowed, ${noLongerAllowed} no longer allowed, ${refusedDifferently} refused differently`;
  return endedBy("matrix", EXIT.failures, `it differs from the earlier matrix: ${words}`, streams);
}

/** The first names of a list. */
function listed(ids: readonly string[]): string {
  return ids.length <= SHOWN ? ids.join(", ") : `${ids.slice(0, SHOWN).join(", ")}, …`;
}

const SHOWN = 20;
