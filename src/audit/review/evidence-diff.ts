/** The differences between two reviews, by their evidence alone. */

import { printable } from "../../policy/escape.js";
import type { Finding } from "../findings/finding.js";
import { plural } from "../plural.js";
import type { Evidence, FileEvidence, SetEvidence } from "./evidence.js";

/** A value of the older and of the newer evidence. Absent: that evidence does not have it. */
export interface EvidenceChange {
  /** `conclusion`, `engine`, `solver`, `policies`, `file`, `claim`, `finding`, `suite`, `coverage` or `control`. */
  readonly kind: string;
  /** The name of a file, a claim, a suite or a control; the message of a finding. */
  readonly name: string;
  readonly before?: string;
  readonly after?: string;
}

/** All differences between two pieces of evidence, by kind. Empty: they say the same. */
export function diffEvidence(before: Evidence, after: Evidence): readonly EvidenceChange[] {
  const [a, b] = [before, after].map(valuesOf);
  const names = new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])]);
  const changes = [...names].flatMap((key): readonly EvidenceChange[] => {
    const [old, now] = [a?.get(key), b?.get(key)];
    if (old?.value === now?.value) return [];
    const { kind = "", name = "" } = now ?? old ?? {};
    return [
      {
        ...{ kind, name },
        ...(old === undefined ? {} : { before: old.value }),
        ...(now === undefined ? {} : { after: now.value }),
      },
    ];
  });
  return changes.sort((x, y) => KINDS.indexOf(x.kind) - KINDS.indexOf(y.kind));
}

/** The changes as text for people, with a final line break. */
export function evidenceDiffText(changes: readonly EvidenceChange[]): string {
  if (changes.length === 0) return "Both pieces of evidence say the same.\n";
  const lines = changes.map(({ kind, name, before, after }) => {
    const what = name === "" ? kind : `${kind} ${name}`;
    if (before === undefined) return `new      ${what}: ${after ?? ""}`;
    return after === undefined ? `gone     ${what}: ${before}` : `changed  ${what}: ${before} -> ${after}`;
  });
  return [`${plural(changes.length, "difference")}:`, ...lines].map((line) => `${printable(line)}\n`).join("");
}

const KINDS = [
  "conclusion",
  "engine",
  "solver",
  "policies",
  "file",
  "claim",
  "finding",
  "suite",
  "coverage",
  "control",
];

interface EvidenceValue {
  readonly kind: string;
  readonly name: string;
  readonly value: string;
}

/** Each value of the evidence, by its kind and name. */
function valuesOf(evidence: Evidence): ReadonlyMap<string, EvidenceValue> {
  const { conclusion, engine, solver, policies, claims, findings, suites, coverage, controls = [] } = evidence;
  const { platformVersion } = policies;
  const layers = [policies.permissionVersion, ...(platformVersion === undefined ? [] : [platformVersion])];
  const all: readonly EvidenceValue[] = [
    { kind: "conclusion", name: "", value: conclusion.headline },
    { kind: "engine", name: engine.name, value: engine.version },
    ...(solver === undefined ? [] : [{ kind: "solver", name: solver.name, value: solver.version }]),
    { kind: "policies", name: "", value: `${policies.hash}, layers ${layers.join(" ")}` },
    ...filesOf(policies).map(({ path, sha256 }) => ({ kind: "file", name: path, value: sha256 })),
    ...claims.map(({ claim, listed, after }) => ({
      kind: "claim",
      name: claim,
      value: listed === "withdrawn" ? "withdrawn" : after.result,
    })),
    ...findings.map((one) => ({ kind: "finding", name: findingName(one), value: one.severity })),
    ...suites.map(({ file, result, tests }) => ({
      kind: "suite",
      name: file,
      value: `${result}, ${tests.passed} passed, ${tests.failed + tests.errored} not`,
    })),
    {
      kind: "coverage",
      name: "",
      value: `${coverage.percent} % (${coverage.goals.covered} of ${coverage.goals.total})`,
    },
    ...controls.map(({ control, clauses, coverage: value }) => {
      const served = clauses.map(({ clause, rules }) => `${clause} by ${rules.join(", ") || "no rule"}`);
      return { kind: "control", name: control, value: `${value}: ${served.join("; ")}` };
    }),
  ];
  const found = new Map<string, EvidenceValue>();
  for (const one of all) {
    // Equal names are told apart by their number.
    let key = JSON.stringify([one.kind, one.name]);
    for (let i = 2; found.has(key); i++) key = JSON.stringify([one.kind, one.name, i]);
    found.set(key, one);
  }
  return found;
}

function filesOf({ files, claims, suites }: SetEvidence): readonly FileEvidence[] {
  const byPath = new Map([...files, ...claims, ...suites].map((file) => [file.path, file]));
  return [...byPath.values()];
}

/** Without its line: a finding that only moved is the same. */
function findingName({ code, file, message }: Finding): string {
  return `${code} ${file}: ${message}`;
}
