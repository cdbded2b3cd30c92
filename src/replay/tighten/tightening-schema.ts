/** The shape of `keyward tighten --format json`: `schemas/tightening.schema.json`. */

const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };
const COUNT = { type: "integer", minimum: 0 };
const TIME = { type: "string", description: "as the log has it" };
const IS = { type: "boolean" };

interface Field {
  readonly [keyword: string]: unknown;
}

/** An object with exactly these fields. */
function shape(fields: { readonly [name: string]: Field }, optional: { readonly [name: string]: Field } = {}): Field {
  const properties = { ...fields, ...optional };
  return { type: "object", required: Object.keys(fields), additionalProperties: false, properties };
}

function list(items: Field, description: string): Field {
  return { type: "array", description, items };
}

const USES = { uses: COUNT };
const USE_TIMES = { first: TIME, last: TIME };
const PLACE = { line: { type: "integer", minimum: 1 } };
const LOG_NAME = { log: { ...TEXT, description: "the file; absent if there is only one" } };

const LOG = shape(
  {
    lines: COUNT,
    skipped: list(shape({ ...PLACE, reason: TEXT }, LOG_NAME), "lines without a whole decision"),
    undetermined: list(
      shape({ ...PLACE, reads: TEXTS }, { ...LOG_NAME, request: { type: "object" } }),
      "decision records without attributes",
    ),
    notes: { ...TEXTS, description: "unusual facts about the log" },
  },
  { from: TIME, to: TIME },
);

const PERMISSION = shape(
  {
    list: { ...TEXT, description: "the list of the key, such as attr.permissions" },
    permission: TEXT,
    isNeeded: { ...IS, description: "false: no recorded allow needs it" },
    ...USES,
  },
  USE_TIMES,
);

const ROLE = shape(
  { role: TEXT, isNeeded: { ...IS, description: "false: no recorded allow needs it" }, ...USES },
  USE_TIMES,
);

const KEY = shape(
  {
    key: TEXT,
    allowed: { ...COUNT, description: "recorded actions that were allowed" },
    allowedBelow: { ...COUNT, description: "of the allowed: those of keys below it" },
    refused: COUNT,
    lostBefore: { ...COUNT, description: "of the allowed: those that the present power does not have" },
    unreproduced: { ...COUNT, description: "of the allowed: those that the policies do not allow" },
    undetermined: { ...COUNT, description: "of the allowed: those that depend on attributes that the log lacks" },
    roles: TEXTS,
    neededRoles: TEXTS,
    roleUses: list(ROLE, "the present roles"),
    permissions: { type: "array", items: PERMISSION },
    isProved: { ...IS, description: "each allow is kept, and the power found is a part of the present one" },
    doubts: { ...TEXTS, description: "why it is not proved" },
  },
  { scope: TEXT, policyVersion: TEXT, from: TIME, to: TIME },
);

export const TIGHTENING_SCHEMA = shape({
  policySetHash: TEXT,
  log: LOG,
  keys: list(KEY, "the keys of the log, by id"),
  roles: list(
    shape({ role: TEXT, keys: { ...COUNT, description: "the keys that have it" }, ...USES }, USE_TIMES),
    "the roles of the policies and of the keys",
  ),
  rules: list(shape({ rule: { ...TEXT, description: "policy#rule" }, ...USES }, USE_TIMES), "the rules that allow"),
});
