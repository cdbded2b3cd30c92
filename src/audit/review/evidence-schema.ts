/** The shape of evidence, for those who keep or read it: `schemas/evidence.schema.json`. */

import { OUTCOMES } from "../../decisions/types.js";
import { CLASSES } from "../diff/question-diff.js";

const TEXT = { type: "string" };
const COUNT = { type: "integer", minimum: 0 };
const SHA256 = { type: "string", pattern: "^[0-9a-f]{64}$" };
const JSON_OBJECT = { type: "object" };

function list(items: object): object {
  return { type: "array", items };
}

/** An object with exactly these fields, of which some may be absent. */
function closed(
  fields: { readonly [name: string]: object },
  optional: { readonly [name: string]: object } = {},
): object {
  return {
    type: "object",
    required: Object.keys(fields),
    additionalProperties: false,
    properties: { ...fields, ...optional },
  };
}

const ref = (name: string) => ({ $ref: `#/$defs/${name}` });

const LAYER = { enum: ["permission", "platform"] };
const CLASS = { enum: CLASSES };
const QUESTION = { kind: TEXT, operation: TEXT };
const VERSION = { version: { ...TEXT, description: "of policies that no layer asks; absent: the layers" } };
const TALLY = closed({ covered: COUNT, total: COUNT });
const SIDE = closed({ outcome: { enum: OUTCOMES }, reasons: list(JSON_OBJECT) }, { fault: TEXT });
const ROLES = list(list(TEXT));

const DEFINITIONS = {
  set: closed(
    {
      hash: { type: "string", pattern: "^sha256:[0-9a-f]{64}$", description: "see policySetHash" },
      permissionVersion: TEXT,
      files: list(ref("file")),
      claims: list(ref("file")),
      suites: list(ref("file")),
    },
    { platformVersion: { ...TEXT, description: "absent: the set is permission-only" } },
  ),
  file: closed({ path: TEXT, sha256: SHA256 }),
  claim: closed(
    {
      claim: TEXT,
      position: { ...TEXT, description: "file:line:column; empty for a law" },
      listed: { enum: ["stated", "added", "withdrawn"] },
      after: ref("standing"),
    },
    { before: ref("standing") },
  ),
  standing: closed(
    { result: { enum: ["proved", "broken", "unproven", "meaningless"] }, why: TEXT },
    { request: ref("request"), changed: ref("request"), outcome: { enum: OUTCOMES } },
  ),
  request: { type: "object", description: "as `keyward decide` takes it", required: ["key", "operation", "resource"] },
  finding: closed(
    {
      code: TEXT,
      severity: { enum: ["error", "warning", "note"] },
      message: TEXT,
      file: TEXT,
      line: COUNT,
      column: COUNT,
    },
    { hint: TEXT, rule: TEXT },
  ),
  findings: list(ref("finding")),
  decisions: closed({
    configuration: closed({
      assumed: { ...list(TEXT), description: "settings that nothing gives, under which the result holds" },
      overridden: { ...list(TEXT), description: "fields of keyward.yaml for which an option gave another value" },
    }),
    result: { enum: ["equal", "changes", "unproven"] },
    changes: list(
      closed(
        {
          class: CLASS,
          ...QUESTION,
          roles: ROLES,
          from: { enum: OUTCOMES },
          to: { enum: OUTCOMES },
          layer: LAYER,
          circumstances: list(closed({ path: TEXT }, { value: {} })),
          extent: { enum: ["exact", "example"] },
          ways: list(
            closed({ when: list(closed({ text: TEXT }, { source: TEXT, layer: LAYER })), request: ref("request") }),
          ),
          malformed: { type: "boolean" },
          wellFormed: { type: "boolean" },
          situations: COUNT,
          before: SIDE,
          after: SIDE,
          request: ref("request"),
        },
        VERSION,
      ),
    ),
    silent: list(
      closed(
        {
          class: { enum: ["reasons", "masked"] },
          ...QUESTION,
          layer: LAYER,
          roles: ROLES,
          situations: COUNT,
          before: list(TEXT),
          after: list(TEXT),
        },
        VERSION,
      ),
    ),
    gaps: list(closed({ ...QUESTION, layer: LAYER, message: TEXT }, VERSION)),
    unproven: list(closed({ ...QUESTION, class: CLASS, message: TEXT }, VERSION)),
    examined: closed({ questions: COUNT, unchanged: COUNT, combinations: COUNT }),
  }),
};

/** As JSON Schema. */
export const EVIDENCE_SCHEMA: object = {
  ...closed(
    {
      format: { const: "keyward-evidence/1" },
      engine: closed({ name: { const: "keyward" }, version: TEXT }),
      conclusion: closed({
        result: { enum: ["failures", "changes", "unproven", "fine"] },
        headline: TEXT,
        failing: list(TEXT),
        unproven: list(TEXT),
      }),
      policies: ref("set"),
      claims: list(ref("claim")),
      findings: ref("findings"),
      suites: list(
        closed({
          file: TEXT,
          result: { enum: ["passed", "failed", "errored", "skipped"] },
          tests: closed({ passed: COUNT, failed: COUNT, errored: COUNT, skipped: COUNT }),
          failures: list(closed({ at: TEXT, message: TEXT })),
        }),
      ),
      coverage: closed({
        percent: { type: "number", minimum: 0, maximum: 100 },
        goals: TALLY,
        rules: TALLY,
        conditions: TALLY,
        operands: TALLY,
        derivedRoles: TALLY,
        variables: TALLY,
        outputs: TALLY,
        missing: list(closed({ at: TEXT, what: TEXT })),
        unreachable: list(closed({ at: TEXT, what: TEXT })),
      }),
    },
    {
      solver: closed({ name: { const: "z3-solver" }, version: TEXT, timeLimit: COUNT }),
      controls: list(
        closed({
          control: TEXT,
          clauses: list(closed({ clause: TEXT, rules: list(TEXT) }, { tested: list(TEXT) })),
          coverage: { enum: ["missing", "untested", "tested", "carried"] },
        }),
      ),
      change: closed({
        policies: ref("set"),
        decisions: ref("decisions"),
        findings: closed({ new: ref("findings"), gone: ref("findings") }),
        rules: closed({ added: list(TEXT), removed: list(TEXT), changed: list(TEXT) }),
        files: closed({ added: list(TEXT), removed: list(TEXT), changed: list(TEXT) }),
        unread: list(closed({ at: TEXT, message: TEXT })),
      }),
    },
  ),
  $defs: DEFINITIONS,
};
