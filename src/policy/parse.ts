/**
 * Turns policy files into checked policies: text → documents → shapes → raw policies → the model. Every stage reports all
 * problems it finds, so that one load shows all of them.
 */

import { type Either, left, right } from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import { type CerbosLevel, DEFAULT_LEVEL } from "../cel/levels.js";
import { MAX_FILES } from "../limits.js";
import { type PolicyConfiguration, readConfiguration } from "./configuration/configuration.js";
import { ExpressionCache } from "./expressions.js";
import { CONFIGURATION_FILES } from "./file-rules.js";
import type { PolicyIssue, SourcePosition } from "./issue.js";
import { compareText, IssueLog } from "./issue-log.js";
import type { PolicyModel } from "./model.js";
import { type OptionValues, TEXT } from "./options.js";
import { type FileContents, readPolicyFile } from "./read/file.js";
import type { RawPolicy } from "./read/raw.js";
import { type ResolvedPolicies, resolvePolicies } from "./resolve/model.js";
import { SCHEMA_DIRECTORY, type SchemaFaults, SchemaFiles } from "./schemas.js";
import { SizeTally } from "./size-tally.js";
import { Source } from "./text/source.js";

/**
 * A policy file; or a JSON Schema, if its path starts with `_schemas/`; or the configuration of the set (`keyward.yaml`).
 * `path` has `/` between its parts.
 */
export interface PolicyFile {
  readonly path: string;
  readonly text: string;
}

/** Of the argument `files`. */
export const FILES: OptionValues = {
  has: (value) => Array.isArray(value) && value.every(isPolicyFile),
  said: "a list of files, each with its path and its text",
};

function isPolicyFile(file: unknown): boolean {
  if (typeof file !== "object" || file === null) return false;
  return "path" in file && TEXT.has(file.path) && "text" in file && TEXT.has(file.text);
}

/**
 * Parses and checks a set of policy files. Left: every problem of every file, warnings included, by file, line and
 * column. Right: the policies, with their warnings. The order of `files` makes no difference. Never throws. `level`: see
 * {@link PolicyReader.read}.
 */
export function parsePolicyFiles(
  files: readonly PolicyFile[],
  level?: CerbosLevel,
): Either<NonEmptyArray<PolicyIssue>, PolicyModel> {
  return new PolicyReader().read(files, level);
}

/** Most expressions in a reader's cache, enough for some hundred policies. Beyond it the reader clears its caches. */
const MAX_KEPT_EXPRESSIONS = 10_000;

/** The contents of a file, and the issues found while it was read. */
interface FileReading {
  readonly text: string;
  readonly contents: FileContents;
  readonly log: IssueLog;
}

/**
 * Reads successive versions of a set of files, as an editor has them, with the result of {@link parsePolicyFiles} for
 * each. Unchanged files are not read again: reading files takes nine tenths of a load.
 */
export class PolicyReader {
  private expressions = new ExpressionCache(DEFAULT_LEVEL);
  private readings: ReadonlyMap<string, FileReading> = new Map();
  private schemaFaults: SchemaFaults = new Map();

  /** `level`: that of the policy language, in place of the level in the set's configuration. */
  read(files: readonly PolicyFile[], level?: CerbosLevel): Either<NonEmptyArray<PolicyIssue>, PolicyModel> {
    try {
      return this.parse(files, level);
    } catch (error) {
      // For example, no property can be defined while `Object.prototype` has a `get`.
      const message = `the policies cannot be checked: ${error instanceof Error ? error.message : "unknown fault"}`;
      return left([{ ...START, severity: "error", code: "io", message }]);
    }
  }

  private parse(
    files: readonly PolicyFile[],
    level: CerbosLevel | undefined,
  ): Either<NonEmptyArray<PolicyIssue>, PolicyModel> {
    const log = new IssueLog();
    const accepted = withinLimits(files, log);
    const texts = new Map(accepted.filter(isSchema).map((file) => [file.path, file.text]));
    const schemas = new SchemaFiles(texts, log, this.schemaFaults);
    const configuration = configurationIn(accepted, log);
    const policies = this.resolve(
      accepted.filter((file) => !isSchema(file) && !isConfiguration(file)),
      schemas,
      level ?? configuration?.cerbos ?? DEFAULT_LEVEL,
      log,
    );
    this.schemaFaults = schemas.faults;
    const issues = log.issues;
    const [first, ...others] = issues;
    if (first !== undefined && issues.some((issue) => issue.severity === "error")) return left([first, ...others]);
    return right({ ...policies, schemas: schemas.schemas, configuration, warnings: issues });
  }

  private resolve(
    files: readonly PolicyFile[],
    schemas: SchemaFiles,
    level: CerbosLevel,
    log: IssueLog,
  ): ResolvedPolicies {
    if (this.expressions.size > MAX_KEPT_EXPRESSIONS || this.expressions.level !== level) {
      // The cached readings refer to the cleared expressions.
      this.expressions = new ExpressionCache(level);
      this.readings = new Map();
    }
    const policies: RawPolicy[] = [];
    const refused = new Set<string>();
    const disabled = new Map<string, SourcePosition>();
    for (const { contents, log: found } of this.readAll(files)) {
      log.addAll(found.inOrder);
      if (contents.kind === "policy") policies.push(contents.policy);
      if (contents.kind === "refused") for (const name of contents.names) refused.add(name);
      if (contents.kind === "disabled") for (const name of contents.names) disabled.set(name, contents.at);
    }
    if (policies.length === 0 && log.size === 0) log.error("no_policies", START, "there are no policies");
    return resolvePolicies(policies, { refused, disabled }, schemas, this.expressions, log);
  }

  private readAll(files: readonly PolicyFile[]): readonly FileReading[] {
    const readings = files.map((file): readonly [string, FileReading] => {
      const before = this.readings.get(file.path);
      if (before?.text === file.text) return [file.path, before];
      const log = new IssueLog();
      const contents = readPolicyFile(new Source(file.path, file.text), this.expressions, log);
      return [file.path, { text: file.text, contents, log }];
    });
    this.readings = new Map(readings);
    return readings.map(([, reading]) => reading);
  }
}

const START = { file: "", line: 1, column: 1 };

function isSchema(file: PolicyFile): boolean {
  return file.path.startsWith(SCHEMA_DIRECTORY);
}

function isConfiguration(file: PolicyFile): boolean {
  return CONFIGURATION_FILES.includes(file.path);
}

/** The visible file takes precedence over the hidden one, with a warning. */
function configurationIn(files: readonly PolicyFile[], log: IssueLog): PolicyConfiguration | undefined {
  const [file, ignored] = CONFIGURATION_FILES.flatMap((path) => files.find((one) => one.path === path) ?? []);
  if (ignored !== undefined) {
    log.warning("duplicate", { ...START, file: ignored.path }, `this file is not read: ${file?.path} takes its place`);
  }
  return file && readConfiguration(file.path, file.text, log);
}

/** The files within the limits, in order of path. Of two files with the same path, the first. */
function withinLimits(files: readonly PolicyFile[], log: IssueLog): readonly PolicyFile[] {
  if (files.length > MAX_FILES) {
    log.error("too_large", START, `more than ${MAX_FILES} files`);
    return [];
  }
  const sizes = new SizeTally("characters");
  const accepted = new Map<string, PolicyFile>();
  for (const file of [...files].sort((a, b) => compareText(a.path, b.path))) {
    const at = { ...START, file: file.path };
    const refusal = sizes.refusal(file.text.length);
    if (refusal !== undefined) log.error("too_large", at, refusal);
    else if (accepted.has(file.path)) log.error("duplicate", at, "this path was given twice");
    else accepted.set(file.path, file);
  }
  return [...accepted.values()];
}
