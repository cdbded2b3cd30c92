/**
 * The JSON Schemas of the package (`schemas/*.json`), by file name. Editors use them to validate policies and suites as
 * the readers do, and they describe evidence and tightened keys. Schemas of files have field names in JSON's spelling; files may also use
 * protobuf's spelling (`parent_roles`).
 */

import { EVIDENCE_SCHEMA } from "../../src/audit/review/evidence-schema.js";
import { DATA_SCHEMA, MAPPING_SCHEMA } from "../../src/authzen/schemas.js";
import { KEY_HISTORY_SCHEMA } from "../../src/cli/who/key-history-schema.js";
import { RECORD_SCHEMA } from "../../src/http/record-schema.js";
import { CONFIGURATION_SCHEMA } from "../../src/policy/configuration/schema.js";
import { DOCUMENT_SHAPES, KINDS } from "../../src/policy/shape/document.js";
import { CLAIMS_SCHEMA } from "../../src/proof/claims/schema.js";
import { TIGHTENING_SCHEMA } from "../../src/replay/tighten/tightening-schema.js";
import { CERBOS_SHAPES } from "../../src/testing/cerbos/shapes.js";
import { FIXTURES_SHAPE, SUITE_SHAPE } from "../../src/testing/decisions/shape.js";

/** The draft with the best support in editors. Later drafts change nothing that the shapes use. */
const DRAFT = "http://json-schema.org/draft-07/schema#";

export const EDITOR_SCHEMAS: ReadonlyMap<string, object> = new Map<string, object>([
  ["policy.schema.json", policySchema()],
  ["decisions.schema.json", titled("A decision suite (*.decisions.yaml)", SUITE_SHAPE)],
  ["fixtures.schema.json", titled("Fixtures of decision suites", FIXTURES_SHAPE)],
  ["claims.schema.json", titled("Claims about policies (*.claims.yaml)", CLAIMS_SCHEMA)],
  ["keyward.schema.json", titled("The configuration of a policy set (keyward.yaml)", CONFIGURATION_SCHEMA)],
  ["authzen.schema.json", titled("The mapping of AuthZEN requests (keyward.authzen.json)", MAPPING_SCHEMA)],
  ["authzen-data.schema.json", titled("The entities that an AuthZEN decision point knows", DATA_SCHEMA)],
  ["decision-record.schema.json", titled("A decision record: one line of a log", RECORD_SCHEMA)],
  ["cerbos-suite.schema.json", titled("A Cerbos policy test suite (*_test.yaml)", CERBOS_SHAPES.suite)],
  ["tightening.schema.json", titled("Tightened keys (keyward tighten --format json)", TIGHTENING_SCHEMA)],
  ["key-history.schema.json", titled("A line of a key history (keyward who --keys)", KEY_HISTORY_SCHEMA)],
  ["evidence.schema.json", titled("The evidence of a review (keyward review --evidence)", EVIDENCE_SCHEMA)],
  [
    "cerbos-principals.schema.json",
    titled("Principals of Cerbos tests (testdata/principals.yaml)", CERBOS_SHAPES.principals),
  ],
  [
    "cerbos-resources.schema.json",
    titled("Resources of Cerbos tests (testdata/resources.yaml)", CERBOS_SHAPES.resources),
  ],
  [
    "cerbos-auxdata.schema.json",
    titled("Auxiliary data of Cerbos tests (testdata/auxdata.yaml)", CERBOS_SHAPES.auxData),
  ],
]);

function titled(title: string, shape: object): object {
  return { $schema: DRAFT, title, ...shape };
}

/** A policy of any kind. */
function policySchema(): object {
  const definitions = KINDS.map((kind) => [kind, DOCUMENT_SHAPES[kind]] as const);
  const shared = Object.assign({}, ...definitions.map(([, { $defs }]) => $defs));
  const kinds = Object.fromEntries(definitions.map(([kind, { $defs: _, ...shape }]) => [kind, shape]));
  return {
    $schema: DRAFT,
    title: "A Cerbos policy",
    oneOf: KINDS.map((kind) => ({ $ref: `#/$defs/${kind}` })),
    $defs: { ...shared, ...kinds },
  };
}
