/**
 * Realistic mistakes, one at a time, in two sound policy sets: the shipped one, and that of a parcel service
 * (`parcels/`). Also changes that keep the policies sound.
 */

export type SetName = "shipped" | "parcels";

/** In `file`, replaces the first occurrence of `from` with `to`; `""` stands for the end of the file. */
export interface Change {
  readonly set: SetName;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export interface Mistake extends Change {
  readonly code: string;
  /** Text on the reported line; by default the first line of `to`. */
  readonly on?: string;
  /** The reported file; by default the changed one. */
  readonly at?: string;
  /** Part of the suggested fix. */
  readonly mend: string;
}

type Row = readonly [file: string, from: string, to: string, code: string, mend: string, on?: string, at?: string];

const rowsOf = (set: SetName, rows: readonly Row[]): readonly Mistake[] =>
  rows.map(([file, from, to, code, mend, on, at]) => ({
    ...{ set, file, from, to, code, mend },
    ...(on === undefined ? {} : { on }),
    ...(at === undefined ? {} : { at }),
  }));

const ruleActivated = (name: string) => `output: {when: {ruleActivated: '"${name}"'}}`;

export const MISTAKES: readonly Mistake[] = [
  ...rowsOf("shipped", [
    // Policies in no layer.
    ["platform/api.yaml", "version: platform", "version: plattform", "no_layer", 'did you mean "platform"?'],
    ["permissions/api.yaml", "version: default", "version: defualt", "no_layer", 'did you mean "default"?'],
    // Attributes.
    [
      "permissions/reach.yaml",
      "P.attr.workspaceIds)",
      "P.attr.workspaceIDs)",
      "undeclared_attribute",
      '"workspaceIds"',
    ],
    [
      "platform/api.yaml",
      "R.attr.deleteProtection",
      "R.attr.deletionProtection",
      "undeclared_attribute",
      '"deleteProtection"',
    ],
    ["platform/account.yaml", "P.attr.limits.keys", "P.attr.limits.key", "undeclared_attribute", '"keys"'],
    [
      "permissions/workspace.yaml",
      "workspace_in_reach: V.same",
      'workspace_in_reach: P.attr.plan == "pro" && V.same',
      "undeclared_attribute",
      "cerbos:///account.json declares it",
    ],
    // Values.
    ["platform/api.yaml", '["draft", "active"]', '["draft", "actve"]', "impossible_value", '"active"'],
    ["platform/api.yaml", 'R.attr.state != "draft"', 'R.attr.state != "drafted"', "impossible_value", '"draft"'],
    ["platform/account.yaml", '"past_due"', '"pastdue"', "impossible_value", '"past_due"'],
    [
      "platform/account.yaml",
      '["pro", "enterprise"]',
      '["Pro", "enterprise"]',
      "impossible_value",
      '"pro"',
      '["Pro", "enterprise"]',
    ],
    // Roles and operations.
    ["permissions/api.yaml", "- editor", "- edtior", "unknown_role", '"editor"'],
    ["permissions/key.yaml", "- viewer", "- auditor", "unknown_role", "nobody has the role auditor"],
    ["permissions/api.yaml", "- apis.updateApi", "- apis.updateApp", "unsupported_operation", '"apis.updateApi"'],
    ["platform/key.yaml", "- keys.verifyKey", "- keys.verifyKeey", "ungranted_operation", '"keys.verifyKey"'],
    [
      "platform/api.yaml",
      "- apis.updateApi\n        - apis.deleteApi\n      roles:\n        - account\n      effect: EFFECT_DENY",
      "- apis.updteApi\n        - apis.deleteApi\n      roles:\n        - account\n      effect: EFFECT_DENY",
      "unknown_operation",
      '"apis.updateApi"',
    ],
    // Types.
    ["platform/api.yaml", "R.attr.keyCount == 0", 'R.attr.keyCount == "0"', "impossible_comparison", "0"],
    ["platform/api.yaml", "R.attr.system == false", 'R.attr.system == "false"', "impossible_comparison", "false"],
    [
      "platform/account.yaml",
      "P.attr.limits.keys - P.attr.usage.keys > 0.0",
      "P.attr.usage.keys + 1 <= P.attr.limits.keys",
      "always_errs",
      "write 1.0",
    ],
    [
      "platform/account.yaml",
      "P.attr.holds == []",
      'P.attr.holds == "none"',
      "impossible_comparison",
      '"none" in P.attr.holds',
    ],
    [
      "permissions/reach.yaml",
      'hasIntersection(["*", R.attr.workspaceId], P.attr.workspaceIds)',
      "R.attr.workspaceId in P.attr.environment",
      "always_errs",
      "R.attr.workspaceId == P.attr.environment",
    ],
    [
      "platform/account.yaml",
      'P.attr.status in ["active", "past_due"]',
      '("owner" in P.roles)',
      "impossible_value",
      '"account"',
    ],
    [
      "platform/api.yaml",
      "R.attr.deleteProtection == false",
      "R.attr.state",
      "not_boolean",
      "write a comparison",
      "expr: R.attr.state\n",
    ],
    [
      "permissions/reach.yaml",
      "V.same_environment && V.in_workspace",
      "R.attr.workspaceId && V.in_workspace",
      "not_boolean",
      "write a comparison",
    ],
    // Rules that decide nothing, or everything.
    [
      "platform/api.yaml",
      "R.attr.keyCount == 0",
      "R.attr.keyCount == 0 || R.attr.keyCount != 0",
      "contradictory_condition",
      "remove the rule",
      "- name: out_of_sequence",
    ],
    [
      "permissions/api.yaml",
      "expr: V.in_reach",
      'expr: "V.in_reach || !V.in_reach"',
      "tautological_condition",
      "remove the condition",
      "- name: role_may_read",
    ],
    [
      "permissions/api.yaml",
      "",
      '    - {name: stop, actions: [keys.createKey], roles: ["*"], effect: EFFECT_DENY}\n',
      "shadowed_rule",
      "remove one of the",
      "- name: role_may_manage_keys",
    ],
    [
      "permissions/api.yaml",
      "",
      "    - {name: again, actions: [apis.getApi], roles: [viewer], effect: EFFECT_ALLOW, condition: {match: {expr: V.in_reach}}}\n",
      "redundant_rule",
      "remove it",
    ],
    [
      "platform/workspace.yaml",
      "",
      `    - {name: closed, actions: [apis.listApis], roles: [account], effect: EFFECT_DENY, ${ruleActivated("closed")}}\n`,
      "unsupported_operation",
      "remove one of the",
      "- apis.listApis",
      "permissions/workspace.yaml",
    ],
    [
      "permissions/key.yaml",
      "",
      '    - {name: all, actions: ["*"], roles: ["*"], effect: EFFECT_ALLOW}\n',
      "allows_everything",
      "list the operations",
    ],
    ["permissions/reach.yaml", " && V.in_workspace", "", "unused_definition", "V.in_workspace", "in_workspace: has"],
    [
      "permissions/workspace.yaml",
      "    local:\n",
      '    local:\n      is_open: R.attr.state == "active"\n',
      "unused_definition",
      "V.is_open",
      "is_open",
    ],
    // Texts.
    ["permissions/api.yaml", "- apis.getApi\n", '- "apis.getApi "\n', "odd_space", '"apis.getApi"'],
    [
      "permissions/api.yaml",
      "- apis.getApi\n        - apis.listKeys",
      "- apis.getApi, apis.listKeys",
      "odd_space",
      "entry for each",
    ],
    ["platform/api.yaml", '["draft", "active"]', '["draft", "active "]', "impossible_value", '"active"'],
    // Other languages, and YAML.
    ["platform/api.yaml", "effect: EFFECT_DENY", "effect: DENY", "shape", '"EFFECT_DENY"'],
    ["permissions/api.yaml", "V.in_reach && has", "V.in_reach & has", "expression", "`&&`"],
    ["permissions/reach.yaml", "V.same_account && V", "V.same_account and V", "expression", "`&&`"],
    ["platform/api.yaml", "R.attr.system == false", "R.attr.system === false", "expression", "`==`"],
    ["platform/account.yaml", "P.attr.holds == []", "account.attr.holds == []", "expression_type", "`P`"],
    [
      "platform/api.yaml",
      "\n      effect: EFFECT_DENY",
      "\n     effect: EFFECT_DENY",
      "yaml",
      "same column",
      "     effect: EFFECT_DENY",
    ],
  ]),
  ...rowsOf("parcels", [
    ["platform/depot.yaml", "version: platform", "version: platfrom", "no_layer", '"platform"'],
    ["permissions/parcel.yaml", "version: default", "version: Default", "no_layer", '"default"'],
    ["permissions/parcel.yaml", "R.attr.weight", "R.attr.wieght", "undeclared_attribute", '"weight"'],
    ["permissions/roles.yaml", "P.attr.depots", "P.attr.depot", "undeclared_attribute", '"depots"'],
    ["permissions/parcel.yaml", "C.open_states", "C.open_state", "undefined_constant", "`open_states`"],
    ["permissions/parcel.yaml", '"!V.is_heavy"', '"!V.is_heavvy"', "undefined_variable", "`is_heavy`"],
    ["platform/parcel.yaml", '"delivered"', '"deliverd"', "impossible_value", '"delivered"'],
    ["permissions/parcel.yaml", '"van"', '"car"', "impossible_value", '"van"'],
    [
      "permissions/limits.yaml",
      "[booked, collected]",
      "[boked]",
      "impossible_value",
      '"booked"',
      "is_open",
      "permissions/parcel.yaml",
    ],
    ["permissions/parcel.yaml", "roles: [manager]", "roles: [manger]", "unknown_role", '"manager"'],
    ["permissions/roles.yaml", "[courier]", "[couirer]", "unknown_role", '"courier"', "- name: local_courier"],
    [
      "permissions/depot.yaml",
      "R.id in P.attr.depots",
      'R.id in P.attr.depots && !("managre" in P.roles)',
      "unknown_role",
      '"manager"',
    ],
    ["permissions/parcel.yaml", '"parcel:cancel"]', '"parcel:cancle"]', "unsupported_operation", '"parcel:cancel"'],
    [
      "permissions/parcel.yaml",
      'actions: ["parcel:deliver"]',
      'actions: ["parcel:delivr"]',
      "unknown_operation",
      '"parcel:deliver"',
    ],
    [
      "permissions/parcel.yaml",
      'actions: ["parcel:deliver"]',
      'actions: ["parcel:hand_over"]',
      "unknown_operation",
      "in an ALLOW rule",
    ],
    ["permissions/depot.yaml", "resource: depot", "resource: depo", "unknown_kind", '"depot"'],
    ["platform/parcel.yaml", "resource: parcel", "resource: parcels", "unknown_kind", '"parcel"'],
    ["platform/depot.yaml", '"depot:close"', '"depot:clsoe"', "ungranted_operation", '"depot:close"'],
    [
      "permissions/parcel.yaml",
      "R.attr.insured == true",
      'R.attr.insured == "yes"',
      "impossible_comparison",
      "same type",
    ],
    ["permissions/parcel.yaml", "R.attr.weight >", "R.attr.weight + 1 >", "always_errs", "write 1.0"],
    ["platform/parcel.yaml", "+ 1.0", "+ 1", "always_errs", "write 1.0"],
    [
      "permissions/roles.yaml",
      "in P.attr.depots",
      "in P.attr.licence",
      "always_errs",
      "R.attr.depot == P.attr.licence",
    ],
    [
      "permissions/depot.yaml",
      "R.id in P.attr.depots",
      "R.id == P.attr.depots",
      "impossible_comparison",
      "R.id in P.attr.depots",
    ],
    ["permissions/parcel.yaml", "== P.attr.region", "== P.attr.trained", "impossible_comparison", "same type"],
    ["platform/parcel.yaml", "P.attr.balance < 0 &&", "P.attr.balance &&", "not_boolean", "P.attr.balance > 0"],
    ["permissions/depot.yaml", "R.id in P.attr.depots", "size(P.attr.depots)", "not_boolean", "> 0"],
    [
      "platform/parcel.yaml",
      "P.attr.balance < 0 &&",
      "P.attr.balance < 0 && P.attr.balance > 0 &&",
      "contradictory_condition",
      "write ||",
      "- name: unpaid",
    ],
    [
      "platform/parcel.yaml",
      'R.attr.state == "delivered"',
      'R.attr.state == "delivered" || R.attr.state != "delivered"',
      "tautological_condition",
      "write &&",
      "- name: delivered_is_final",
    ],
    [
      "permissions/parcel.yaml",
      "derivedRoles: [sender]",
      "roles: [clerk]",
      "unused_definition",
      "derivedRoles",
      "- name: sender",
      "permissions/roles.yaml",
    ],
    [
      "permissions/parcel.yaml",
      "      derivedRoles: [sender]",
      "      roles: [clerk]\n      derivedRoles: [sender]",
      "idle_derived_role",
      "remove the role",
      "- name: sender_changes",
    ],
    ["permissions/parcel.yaml", "roles: [manager]", "roles: [local_courier]", "derived_role_as_role", "derivedRoles"],
    [
      "permissions/depot.yaml",
      "  schemas:",
      "  importDerivedRoles: [parcel_roles]\n  schemas:",
      "unused_definition",
      "remove the import",
    ],
    [
      "permissions/parcel.yaml",
      "> C.heavy",
      "> 30",
      "unused_definition",
      "C.heavy",
      "heavy: 30",
      "permissions/limits.yaml",
    ],
    [
      "platform/depot.yaml",
      "    resourceSchema: { ref: cerbos:///depot.json }\n",
      "",
      "no_schema",
      "schemas.resourceSchema.ref",
      "R.attr.condemned",
    ],
    [
      "platform/depot.yaml",
      "R.attr.condemned == true",
      'R.attr.condemned == true && R.kind == "parcel"',
      "impossible_value",
      "own kind",
    ],
    [
      "permissions/parcel.yaml",
      "roles: [clerk, courier, manager]",
      'roles: [clerk, "courier\u00a0", manager]',
      "odd_space",
      '"courier"',
    ],
    ["permissions/depot.yaml", '"depot:open"', '"depot: open"', "odd_space", '"depot:open"'],
    ["platform/parcel.yaml", "P.attr.blocked == true", "P.attr.blocked == True", "expression_type", "`true`"],
    ["platform/depot.yaml", "R.attr.condemned", "R.condemned", "expression_type", "`attr.condemned`"],
    [
      "permissions/depot.yaml",
      "R.id in P.attr.depots",
      "P.attr.depots.includes(R.id)",
      "unknown_function",
      "`contains`",
    ],
    ["permissions/parcel.yaml", '"!V.is_heavy"', "!V.is_heavy", "unsupported", "quote the value"],
    [
      "platform/depot.yaml",
      "        match:\n          expr",
      "      match:\n          expr",
      "shape",
      "it belongs to condition",
    ],
  ]),
];

/** One or more changes, optionally with arguments of the command. */
export interface Variation {
  readonly name: string;
  readonly set: SetName;
  readonly changes: readonly Omit<Change, "set">[];
  readonly args?: readonly string[];
}

function variation(
  set: SetName,
  name: string,
  ...changes: readonly (readonly [file: string, from: string, to: string])[]
): Variation {
  return { set, name, changes: changes.map(([file, from, to]) => ({ file, from, to })) };
}

const shippedOne = (file: string, from: string, to: string) => variation("shipped", to, [file, from, to]);
const parcelsOne = (file: string, from: string, to: string) => variation("parcels", to, [file, from, to]);

const WORKSPACES = 'hasIntersection(["*", R.attr.workspaceId], P.attr.workspaceIds)';

export const VARIATIONS: readonly Variation[] = [
  shippedOne("platform/api.yaml", "R.attr.keyCount == 0", "R.attr.keyCount <= 0"),
  shippedOne("platform/api.yaml", "R.attr.keyCount == 0", "R.attr.keyCount == 0.0"),
  shippedOne("platform/api.yaml", "R.attr.keyCount == 0", "int(R.attr.keyCount) % 2 == 0"),
  shippedOne("platform/api.yaml", '["draft", "active"]', '["active", "draft"]'),
  shippedOne(
    "platform/api.yaml",
    'R.attr.state in ["draft", "active"]',
    'R.attr.state == "draft" || R.attr.state == "active"',
  ),
  shippedOne(
    "platform/api.yaml",
    'R.attr.state in ["draft", "active"]',
    '(["suspended", "deleting"]).all(s, s != R.attr.state)',
  ),
  shippedOne(
    "platform/api.yaml",
    'R.attr.state in ["draft", "active"]',
    'R.attr.state in ["draft", "active", "suspended", "deleting"]',
  ),
  shippedOne("platform/api.yaml", "R.attr.system == false", "R.attr.system != true"),
  shippedOne("platform/api.yaml", "R.attr.system == false", "has(R.attr.system) && !R.attr.system"),
  shippedOne("platform/api.yaml", "R.attr.system == false", "R.attr.?system.orValue(true) == false"),
  shippedOne("platform/account.yaml", "P.attr.holds == []", "size(P.attr.holds) == 0"),
  shippedOne("platform/account.yaml", "P.attr.holds == []", '!("abuse" in P.attr.holds)'),
  shippedOne(
    "platform/account.yaml",
    "P.attr.limits.keys - P.attr.usage.keys > 0.0",
    "P.attr.usage.keys + 1.0 <= P.attr.limits.keys",
  ),
  shippedOne(
    "platform/account.yaml",
    "P.attr.limits.keys - P.attr.usage.keys > 0.0",
    "P.attr.usage.keys < P.attr.limits.keys",
  ),
  shippedOne("permissions/reach.yaml", WORKSPACES, 'P.attr.workspaceIds.exists(w, w in ["*", R.attr.workspaceId])'),
  shippedOne(
    "permissions/reach.yaml",
    WORKSPACES,
    '("*" in P.attr.workspaceIds) || R.attr.workspaceId in P.attr.workspaceIds',
  ),
  shippedOne(
    "permissions/reach.yaml",
    WORKSPACES,
    'size(P.attr.workspaceIds) == 1 ? P.attr.workspaceIds[0] == "*" :R.attr.workspaceId in P.attr.workspaceIds',
  ),
  variation(
    "shipped",
    "a role that the configuration lists",
    ["permissions/api.yaml", "- viewer", "- project manager"],
    [".keyward.yaml", "roles: [viewer", "roles: [project manager, viewer"],
  ),
  variation(
    "shipped",
    "an operation in both layers",
    ["permissions/api.yaml", "- apis.updateApi", "- apis.updateApi\n        - apis.renameApi"],
    ["platform/api.yaml", "- apis.updateApi", "- apis.updateApi\n        - apis.renameApi"],
  ),
  variation("shipped", "a denial of what is not there yet", [
    "platform/api.yaml",
    "",
    `    - {name: frozen, actions: [apis.transferApi], roles: [account], effect: EFFECT_DENY, ${ruleActivated("frozen")}}\n`,
  ]),
  variation("shipped", "a pattern under a condition", [
    "permissions/api.yaml",
    "- apis.updateApi\n        - apis.deleteApi",
    '- "apis.*"',
  ]),
  {
    ...variation("shipped", "a version that is named", ["permissions/key.yaml", "", ""]),
    changes: [
      {
        file: "old/key.yaml",
        from: "",
        to: "apiVersion: api.cerbos.dev/v1\nresourcePolicy: {resource: key, version: old, rules: []}\n",
      },
    ],
    args: ["--other-version", "old"],
  },
  parcelsOne("permissions/parcel.yaml", "R.attr.weight > C.heavy", "R.attr.weight >= C.heavy + 0.5"),
  parcelsOne("permissions/parcel.yaml", "R.attr.weight > C.heavy", "C.heavy < R.attr.weight"),
  parcelsOne("permissions/parcel.yaml", "R.attr.state in C.open_states", "C.open_states.exists(s, s == R.attr.state)"),
  parcelsOne("permissions/parcel.yaml", 'P.attr.licence == "van"', 'P.attr.licence != "bike"'),
  parcelsOne("permissions/parcel.yaml", 'P.attr.licence == "van"', 'P.attr.licence in ["van", "bike"]'),
  parcelsOne("permissions/parcel.yaml", "R.attr.insured == true", "R.attr.insured"),
  parcelsOne("permissions/parcel.yaml", "R.attr.insured == true", 'has(R.attr.labels) && "fragile" in R.attr.labels'),
  parcelsOne(
    "permissions/parcel.yaml",
    "R.attr.insured == true",
    'hasIntersection(R.attr.labels, ["fragile", "cold"])',
  ),
  parcelsOne(
    "permissions/parcel.yaml",
    "P.attr.trained == false",
    'P.attr.trained == false && !("manager" in P.roles)',
  ),
  parcelsOne("permissions/roles.yaml", "R.attr.sender == P.id", 'R.attr.sender in [P.id, "office"]'),
  parcelsOne("permissions/roles.yaml", "R.attr.sender == P.id", 'R.attr.sender == "employee " + P.id'),
  parcelsOne("platform/parcel.yaml", "P.attr.balance < 0 &&", "P.attr.balance < 0 && P.attr.balance > -500 &&"),
  parcelsOne("platform/parcel.yaml", "P.attr.balance < 0 &&", "P.attr.balance != null &&"),
  parcelsOne(
    "platform/parcel.yaml",
    "P.attr.open_parcels + 1.0 > P.attr.parcel_limit",
    "P.attr.open_parcels >= P.attr.parcel_limit",
  ),
  parcelsOne("platform/parcel.yaml", 'R.attr.state == "delivered"', 'R.attr.state in ["delivered", "returned"]'),
  parcelsOne("platform/depot.yaml", "R.attr.condemned == true", 'R.attr.condemned == true && R.kind == "depot"'),
  parcelsOne("platform/depot.yaml", "R.attr.condemned == true", 'R.attr.condemned == true || "x" == R.id'),
  parcelsOne("platform/depot.yaml", "roles: [account]", 'roles: ["*"]'),
  variation("parcels", "a denial beside a pattern", [
    "permissions/parcel.yaml",
    'actions: ["parcel:deliver"]',
    'actions: ["parcel:deliver", "parcel:collect"]',
  ]),
  variation(
    "parcels",
    "a kind without a schema, and without denials",
    [
      "permissions/van.yaml",
      "",
      'apiVersion: api.cerbos.dev/v1\nresourcePolicy: {resource: van, version: default, rules: [{name: drive, actions: ["van:drive"], roles: [courier], effect: EFFECT_ALLOW, condition: {match: {expr: R.attr.driver == P.id}}}]}\n',
    ],
    [
      "platform/van.yaml",
      "",
      'apiVersion: api.cerbos.dev/v1\nresourcePolicy: {resource: van, version: platform, rules: [{name: supported, actions: ["van:drive"], roles: [account], effect: EFFECT_ALLOW}]}\n',
    ],
  ),
  variation("parcels", "a principal policy", [
    "ann.yaml",
    "",
    'apiVersion: api.cerbos.dev/v1\nprincipalPolicy: {principal: ann, version: default, rules: [{resource: parcel, actions: [{action: "parcel:cancel", effect: EFFECT_DENY, name: no_cancel}]}]}\n',
  ]),
];
