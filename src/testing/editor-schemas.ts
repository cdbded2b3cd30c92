/**
 * The JSON Schemas that the package ships for editors (`schemas/*.json`), by file name: what policies and suites are
 * checked against when they are read. They know the names of fields as JSON has them; files may also spell them as in
 * protobuf (`parent_roles`).
 */

import { documentShape, KINDS } from "../policy/shape/document.js";
import { CERBOS_SCHEMAS } from "./cerbos/schemas.js";
import { FIXTURES_SHAPE, SUITE_SHAPE } from "./decisions/shape.js";

/** The draft that editors know best; nothing that the shapes use has changed since. */
const DRAFT = "http://json-schema.org/draft-07/schema#";

export const EDITOR_SCHEMAS: ReadonlyMap<string, object> = new Map<string, object>([
  ["policy.schema.json", policySchema()],
  ["decisions.schema.json", { $schema: DRAFT, title: "A decision suite (*.decisions.yaml)", ...SUITE_SHAPE }],
  ["fixtures.schema.json", { $schema: DRAFT, title: "Fixtures of decision suites", ...FIXTURES_SHAPE }],
  ["cerbos-suite.schema.json", CERBOS_SCHEMAS.suite],
  ["cerbos-principals.schema.json", CERBOS_SCHEMAS.principals],
  ["cerbos-resources.schema.json", CERBOS_SCHEMAS.resources],
  ["cerbos-auxdata.schema.json", CERBOS_SCHEMAS.auxData],
]);

/** A policy of any kind. */
function policySchema(): object {
  const definitions = KINDS.map((kind) => [kind, documentShape(kind)] as const);
  const shared = Object.assign({}, ...definitions.map(([, { $defs }]) => $defs));
  const kinds = Object.fromEntries(definitions.map(([kind, { $defs: _, ...shape }]) => [kind, shape]));
  return {
    $schema: DRAFT,
    title: "A Cerbos policy",
    oneOf: KINDS.map((kind) => ({ $ref: `#/$defs/${kind}` })),
    $defs: { ...shared, ...kinds },
  };
}
