/** The shapes of decision suites and fixture files. Shipped for editors; docs/testing.md explains the fields. */

import { OUTCOMES } from "../../decisions/types.js";
import { FAULT_KINDS } from "../../engine/plan/verdict.js";
import {
  ANYTHING,
  type DocumentShape,
  FLAG,
  listOf,
  mapOf,
  message,
  nonEmptyListOf,
  oneOf,
  REQUIRED_TEXT,
  TEXT,
} from "../../policy/shape/shape.js";

const OUTCOME = oneOf(...OUTCOMES);
const NAMES = nonEmptyListOf(REQUIRED_TEXT);
const ATTRIBUTES = mapOf(ANYTHING);

/** Fields of every fixture: its base, and the attributes of the base to change or remove. */
const FIXTURE = { extends: REQUIRED_TEXT, id: REQUIRED_TEXT, attr: ATTRIBUTES, without: NAMES, scope: TEXT };

const FIXTURES = {
  keys: mapOf(message({ ...FIXTURE, roles: NAMES })),
  accounts: mapOf(message(FIXTURE)),
  resources: mapOf(message({ ...FIXTURE, kind: REQUIRED_TEXT })),
};

const SUBJECTS = { key: REQUIRED_TEXT, operation: REQUIRED_TEXT, resource: REQUIRED_TEXT, account: REQUIRED_TEXT };

/** The outcomes of one operation, by the names of keys. */
const ROW: DocumentShape = { ...mapOf(OUTCOME), minProperties: 1, description: "a key" };

const CASE = message(
  {
    name: REQUIRED_TEXT,
    description: TEXT,
    skip: FLAG,
    skipReason: TEXT,
    ...SUBJECTS,
    keys: NAMES,
    operations: NAMES,
    resources: NAMES,
    accounts: NAMES,
    with: message({ key: ATTRIBUTES, resource: ATTRIBUTES, account: ATTRIBUTES }),
    without: message({ key: NAMES, resource: NAMES, account: NAMES }),
    damaged: FLAG,
    now: REQUIRED_TEXT,
    expect: OUTCOME,
    fault: oneOf(...FAULT_KINDS),
    reasons: listOf(REQUIRED_TEXT),
    reasonsInclude: NAMES,
    table: { ...mapOf(ROW), minProperties: 1, description: "an operation" },
  },
  "name",
);

const HEAD = { $schema: TEXT, description: TEXT };

export const SUITE_SHAPE: DocumentShape = message(
  {
    ...HEAD,
    name: REQUIRED_TEXT,
    skip: FLAG,
    skipReason: TEXT,
    fixtures: NAMES,
    ...FIXTURES,
    defaults: message({ ...SUBJECTS, now: REQUIRED_TEXT }),
    cases: nonEmptyListOf(CASE),
  },
  "name",
  "cases",
);

export const FIXTURES_SHAPE: DocumentShape = message({ ...HEAD, ...FIXTURES });
