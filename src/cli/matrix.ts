/** `keyward matrix`: the outcomes for real keys, resources and accounts. */

import { csvRow } from "../audit/csv.js";
import { rolesNamed } from "../audit/findings/findings.js";
import { Matrix, type MatrixCell } from "../audit/matrix/matrix.js";
import { plural } from "../audit/plural.js";
import { dateOf } from "../cel/time.js";
import { policySetHash } from "../decisions/policy-set-hash.js";
import { jsonText, printable } from "../policy/escape.js";
import { type Arguments, choice, policiesOf, readArguments, requiredOption } from "./arguments.js";
import { EXIT, type ExitCode, type Streams, UsageError } from "./exit.js";
import { loadSet } from "./load-set.js";
import { type MatrixData, readMatrixData } from "./matrix-data.js";
import { readNow } from "./now-option.js";
import { intoFile, OUTPUT_OPTION } from "./output-file.js";
import { SET_OPTIONS, SET_USAGE } from "./policy-options.js";
import { Progress } from "./progress.js";
import { formatOption, type Usage } from "./usage.js";

const FORMATS = ["csv", "json"] as const;

/** The attribute of a resource with the id of its account. */
const ACCOUNT_BY = "accountId";

export const MATRIX: Usage = {
  name: "matrix",
  takes: [`${SET_USAGE} --keys FILE --resources FILE [--accounts FILE]`],
  does: "Tells for each key, resource and operation of your data whether it is allowed, refused for the key, or forbidden.",
  options: {
    ...SET_OPTIONS,
    keys: { value: "FILE", does: "the keys: JSON lines, or one JSON list (-: standard input)" },
    resources: { value: "FILE", does: "the resources, likewise" },
    accounts: { value: "FILE", does: "the accounts, likewise; not needed for a permission-only set" },
    "account-by": {
      value: "NAME",
      does: `the attribute of a resource with the id of its account (default ${ACCOUNT_BY}); a single account owns all`,
    },
    operation: {
      value: "NAME",
      multiple: true,
      does: "a further operation, such as one that the policies match by a pattern (may be repeated)",
    },
    "allowed-only": { does: "list what is allowed alone" },
    now: { value: "T", does: "the time of all decisions, RFC 3339 (default: now)" },
    format: formatOption(FORMATS),
    output: OUTPUT_OPTION,
  },
};

export function matrix(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return intoFile(readArguments(args, MATRIX, 1), streams, made);
}

async function made(given: Arguments, streams: Streams): Promise<ExitCode> {
  const { texts, switches } = given;
  const policies = await loadSet(policiesOf(given), given, streams);
  const format = choice("format", texts.get("format") ?? "csv", FORMATS);
  const files = {
    keys: requiredOption(given, "keys"),
    resources: requiredOption(given, "resources"),
    accounts: texts.get("accounts"),
    accountBy: texts.get("account-by") ?? ACCOUNT_BY,
  };
  const at = texts.get("now");
  const now = at === undefined ? new Date() : dateOf(readNow(at));
  if (policies === undefined) return EXIT.policies;
  if (policies.platform !== undefined && files.accounts === undefined) {
    throw new UsageError("--accounts FILE is missing: the platform layer decides by the account");
  }
  const data = await readMatrixData(policies, files, streams);
  for (const { file, entry, message } of data.refused) {
    streams.err(`${printable(`${file}: entry ${entry} is refused, and counted as "cannot": ${message}`)}\n`);
  }
  const found = new Matrix(policies, data.resources, now, given.lists.get("operation"));
  for (const kind of found.unknownKinds()) {
    streams.err(`${printable(`no policy knows an operation on the kind "${kind}": its resources have no cells`)}\n`);
  }
  const cells = cellsOf(found, data, switches.has("allowed-only"), streams);
  if (format === "csv") {
    streams.out(csvRow(["key", "resource", "operation", "outcome"]));
    for (const batch of cells) {
      streams.out(
        batch.map(({ key, resource, operation, outcome }) => csvRow([key, resource, operation, outcome])).join(""),
      );
      await streams.drained?.();
    }
    return EXIT.ok;
  }
  const head = {
    ...{ policySetHash: await policySetHash(policies), dataHash: data.hash, now: now.toISOString() },
    ...{ keys: data.keys.length, resources: data.resources.length, accounts: data.accounts, refused: data.refused },
  };
  // In pieces: there may be more cells than one text can hold.
  streams.out(`${jsonText(head, 2).slice(0, -2)},\n  "cells": [`);
  let separator = "";
  for (const batch of cells) {
    for (const cell of batch) {
      streams.out(`${separator}\n    ${jsonText(cell)}`);
      separator = ",";
    }
    await streams.drained?.();
  }
  const held = new Set(data.keys.flatMap(({ part }) => part?.roles ?? []));
  const rest = {
    totals: found.totals(),
    keysThatMayAll: found.keysThatMayAll(),
    rolesWithoutKeys: rolesNamed(policies).filter((role) => role !== "*" && !held.has(role)),
  };
  streams.out(`\n  ],${jsonText(rest, 2).slice(1)}\n`);
  return EXIT.ok;
}

/** The cells, those of one key at a time. */
function* cellsOf(
  found: Matrix,
  { keys }: MatrixData,
  isAllowedOnly: boolean,
  streams: Streams,
): Generator<readonly MatrixCell[], void> {
  const progress = new Progress(streams);
  let done = 0;
  for (const key of keys) {
    const cells: MatrixCell[] = [];
    for (const cell of found.cells(key)) if (!isAllowedOnly || cell.outcome === "allow") cells.push(cell);
    if (cells.length > 0) yield cells;
    done += 1;
    progress.show(() => `${done} of ${plural(keys.length, "key")}`);
  }
  progress.clear();
}
