/** Claims of each form about the shipped policies. Each holds, and a change of one file breaks it. */

export interface ClaimCase {
  readonly claim: string;
  readonly fields: { readonly [field: string]: unknown };
  /** The text to replace in a file, and its replacement. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const NO_PERMISSIONS = "key.attr.permissions == []";
const permits = (...permissions: readonly string[]) => [
  "key.roles == ['custom']",
  `key.attr.permissions == ${JSON.stringify(permissions)}`,
];
const reaches = [
  "resource.attr.accountId == key.attr.accountId",
  "resource.attr.environment == key.attr.environment",
  "'*' in key.attr.workspaceIds",
];
const accountInOrder = [
  "account.attr.status == 'active'",
  "account.attr.plan == 'pro'",
  "account.attr.holds == []",
  "resource.attr.accountId == account.id",
];
const ADMINISTER = "- apis.deleteApi\n      roles:\n        - admin\n";
const MANAGE_KEYS = "- keys.deleteKey\n      roles:\n        - editor\n";
const READERS = "- viewer\n        - editor\n        - admin\n";

const changed = (file: string, from: string, to: string, claim: string, fields: ClaimCase["fields"]): ClaimCase => ({
  claim,
  fields,
  file,
  from,
  to,
});

/** Adds a permission to the list of a rule. */
const accepts = (file: string, first: string, more: string, claim: string, fields: ClaimCase["fields"]) =>
  changed(`permissions/${file}`, `["${first}", `, `["${first}", "${more}", `, claim, fields);

const TOGETHER: readonly ClaimCase[] = [
  changed("permissions/api.yaml", ADMINISTER, `${ADMINISTER}        - editor\n`, "An editor creates keys or deletes.", {
    together: ["keys.createKey", "apis.deleteApi"],
    assume: ["key.roles == ['editor']", NO_PERMISSIONS],
  }),
  accepts("api.yaml", "api.*.update_api", "api.*.create_key", "Who creates keys does not change the API.", {
    together: ["apis.updateApi", "keys.createKey"],
    assume: ["key.roles == ['custom']", "key.attr.permissions.all(p, p.endsWith('.create_key'))"],
  }),
  changed(
    "permissions/key.yaml",
    MANAGE_KEYS,
    `${MANAGE_KEYS}        - viewer\n`,
    "A viewer revokes and deletes no key.",
    {
      together: ["keys.revokeKey", "keys.deleteKey"],
      assume: ["key.roles == ['viewer']", NO_PERMISSIONS],
    },
  ),
  accepts("workspace.yaml", "workspace.*.create_workspace", "workspace.*.create_api", "Creating APIs is no more.", {
    together: ["apis.createApi", "workspaces.createWorkspace"],
    assume: permits("workspace.*.create_api"),
  }),
  accepts("key.yaml", "key.*.delete_key", "key.*.update_key", "Who changes keys does not delete them.", {
    together: ["keys.updateKey", "keys.deleteKey"],
    assume: ["key.roles == ['custom']", "key.attr.permissions.all(p, p.endsWith('.update_key'))"],
  }),
];

const APART: readonly ClaimCase[] = [
  changed(
    "permissions/workspace.yaml",
    "- workspaces.createWorkspace\n      roles:\n        - admin\n",
    "- workspaces.createWorkspace\n      roles:\n        - admin\n        - editor\n",
    "No editor creates both keys and APIs.",
    {
      together: ["keys.createKey", "apis.createApi"],
      apart: true,
      assume: ["key.roles == ['editor']", NO_PERMISSIONS],
    },
  ),
  changed(
    "permissions/key.yaml",
    '"api." + R.attr.apiId + ".delete_key"]',
    '"api." + R.attr.apiId + ".delete_api"]',
    "A key for deleting an API deletes no key.",
    { together: ["apis.deleteApi", "keys.deleteKey"], apart: true, assume: permits("api.api_1.delete_api") },
  ),
  accepts("key.yaml", "key.*.update_key", "api.*.create_key", "Who creates keys revokes no other one.", {
    together: ["keys.createKey", "keys.revokeKey"],
    apart: true,
    assume: [...permits("api.*.create_key"), "resource.id != key.id"],
  }),
  accepts("key.yaml", "key.*.read_key", "api.*.read_api", "Who reads APIs alone reads no keys.", {
    together: ["apis.getApi", "keys.getKey"],
    apart: true,
    assume: permits("api.*.read_api"),
  }),
  accepts("workspace.yaml", "workspace.*.read_api", "api.*.update_api", "Who changes APIs alone lists none.", {
    together: ["apis.updateApi", "apis.listApis"],
    apart: true,
    assume: ["key.roles == ['custom']", "key.attr.permissions.all(p, p.endsWith('.update_api'))"],
  }),
  changed(
    "permissions/key.yaml",
    MANAGE_KEYS,
    `${MANAGE_KEYS}        - viewer\n`,
    "A viewer reads APIs, and changes no key.",
    {
      together: ["apis.getApi", "keys.updateKey"],
      apart: true,
      assume: ["key.roles == ['viewer']", NO_PERMISSIONS],
    },
  ),
  changed(
    "permissions/reach.yaml",
    "in_workspace: hasIntersection",
    "in_workspace: P.attr.workspaceIds == [] || hasIntersection",
    "A key without workspaces reads neither APIs nor keys.",
    { together: ["apis.getApi", "keys.getKey"], apart: true, assume: "key.attr.workspaceIds == []" },
  ),
];

const custom = (...permissions: readonly string[]) => ({ roles: ["custom"], attr: { permissions } });

const SUBSETS: readonly ClaimCase[] = [
  changed("permissions/api.yaml", '["api.*.delete_api", ', "[", "A key for one API may do no more than one for all.", {
    subset: { child: custom("api.api_1.delete_api"), of: custom("api.*.delete_api") },
  }),
  changed("permissions/api.yaml", READERS, "- viewer\n        - admin\n", "A viewer may do no more than an editor.", {
    subset: { child: { roles: ["viewer"] }, of: { roles: ["editor"] } },
  }),
  changed(
    "permissions/key.yaml",
    '"api.*.read_key", "api." + R.attr',
    '"api." + R.attr',
    "A key that reads one key may do no more than one that reads all keys of APIs.",
    { subset: { child: custom("key.key_1.read_key"), of: custom("api.*.read_key") } },
  ),
  changed("permissions/reach.yaml", '["*", R.attr', "[R.attr", "A workspace is less than every one.", {
    subset: { child: { attr: { workspaceIds: ["ws_1"] } }, of: { attr: { workspaceIds: ["*"] } } },
  }),
  changed(
    "permissions/reach.yaml",
    "in_workspace: hasIntersection",
    "in_workspace: P.attr.workspaceIds == [] || hasIntersection",
    "No workspace is less than one.",
    { subset: { child: { attr: { workspaceIds: [] } }, of: { attr: { workspaceIds: ["ws_1"] } } } },
  ),
  changed(
    "permissions/api.yaml",
    'hasIntersection(P.attr.permissions, ["api.*.delete_api", "api." + R.id + ".delete_api"])',
    '(P.attr.permissions == [] || hasIntersection(P.attr.permissions, ["api.*.delete_api"]))',
    "No permission is less than one.",
    { subset: { child: { attr: { permissions: [] } }, of: { attr: { permissions: ["api.*.read_api"] } } } },
  ),
  changed(
    "permissions/api.yaml",
    "- keys.createKey\n      roles:\n        - editor\n        - admin\n",
    "- keys.createKey\n      roles:\n        - admin\n",
    "A key that creates keys may do no more than an editor.",
    { subset: { child: custom("api.*.create_key"), of: { roles: ["editor"], attr: { permissions: [] } } } },
  ),
  changed(
    "permissions/api.yaml",
    ADMINISTER,
    ADMINISTER.replace("admin", "editor"),
    "A key that changes and deletes APIs may do no more than an admin.",
    {
      subset: {
        child: custom("api.*.delete_api", "api.*.update_api"),
        of: { roles: ["admin"], attr: { permissions: [] } },
      },
    },
  ),
  changed(
    "permissions/api.yaml",
    "- keys.createKey\n      roles:\n        - editor\n        - admin\n",
    "- keys.createKey\n      roles:\n        - editor\n",
    "An admin creates all keys that an editor creates.",
    { role: "admin", includes: "editor", operations: "keys.createKey" },
  ),
  changed("permissions/key.yaml", READERS, "- viewer\n        - admin\n", "An editor reads what a viewer reads.", {
    role: "editor",
    includes: "viewer",
    kinds: "key",
  }),
  changed(
    "permissions/workspace.yaml",
    READERS,
    "- viewer\n        - editor\n",
    "An admin lists what a viewer lists.",
    {
      role: "admin",
      includes: "viewer",
      operations: "apis.listApis",
    },
  ),
];

const CREATE_KEY = "keys.createKey";
const REASONS: readonly ClaimCase[] = [
  changed("platform/account.yaml", "P.attr.usage.keys > 0.0", "P.attr.usage.keys >= 0.0", "A full account hears so.", {
    operations: CREATE_KEY,
    assume: ["valid", "account.attr.usage.keys >= account.attr.limits.keys"],
    hears: "quota_exceeded",
  }),
  changed("platform/account.yaml", "P.attr.usage.apis > 0.0", "P.attr.usage.apis >= 0.0", "So it does for APIs.", {
    operations: "apis.createApi",
    assume: ["valid", "account.attr.usage.apis >= account.attr.limits.apis"],
    hears: "quota_exceeded",
  }),
  changed(
    "platform/api.yaml",
    "- expr: R.attr.system == false",
    "- expr: R.attr.system in [true, false]",
    "Who changes a system API hears that it is one.",
    {
      operations: ["apis.updateApi", "apis.deleteApi"],
      assume: ["valid", "resource.attr.system == true"],
      hears: "system_resource",
    },
  ),
  changed(
    "platform/api.yaml",
    "R.attr.deleteProtection == false",
    "R.attr.deleteProtection in [true, false]",
    "Who deletes a protected API hears that it is protected.",
    {
      operations: "apis.deleteApi",
      assume: ["valid", "resource.attr.deleteProtection == true"],
      hears: "delete_protected",
    },
  ),
  changed("platform/api.yaml", "R.attr.keyCount == 0", "R.attr.keyCount <= 1", "Keys are deleted first.", {
    operations: "apis.deleteApi",
    assume: ["valid", "resource.attr.keyCount > 0"],
    hears: "out_of_sequence",
  }),
  changed("platform/api.yaml", 'R.attr.state != "draft"', 'R.attr.state != "drafts"', "A draft hears so.", {
    operations: CREATE_KEY,
    kinds: "api",
    assume: ["valid", "resource.attr.state == 'draft'"],
    hears: "out_of_sequence",
  }),
  changed(
    "platform/account.yaml",
    "P.attr.holds == []",
    "size(P.attr.holds) <= 1",
    "An account with a hold hears so.",
    {
      operations: ["apis.updateApi", "apis.deleteApi", CREATE_KEY],
      assume: ["valid", "size(account.attr.holds) > 0"],
      hears: "platform_policy_violation",
    },
  ),
  changed(
    "platform/api.yaml",
    '["draft", "active"]',
    '["draft", "active", "suspended"]',
    "Who changes a suspended API hears of its state.",
    {
      operations: "apis.updateApi",
      assume: ["valid", "resource.attr.state == 'suspended'"],
      hears: "state_forbids_modification",
    },
  ),
  changed(
    "platform/account.yaml",
    '["pro",',
    '["free", "pro",',
    "A free account hears that production is not for it.",
    {
      operations: CREATE_KEY,
      assume: ["valid", "account.attr.plan == 'free'", "resource.attr.environment == 'production'"],
      hears: "not_available",
    },
  ),
  changed(
    "platform/api.yaml",
    "- name: supported\n      actions:\n        - apis.getApi\n",
    "- name: supported\n      actions:\n",
    "Reading an API is refused for lack of permission alone.",
    { operations: "apis.getApi", assume: "valid", hearsOnly: "not_granted" },
  ),
  changed(
    "platform/key.yaml",
    "- name: state_forbids_modification\n      actions:\n",
    "- name: state_forbids_modification\n      actions:\n        - keys.revokeKey\n",
    "Revoking is refused for lack of permission, or because the key is the system's.",
    { operations: "keys.revokeKey", assume: "valid", hearsOnly: ["not_granted", "system_resource"] },
  ),
  changed(
    "platform/account.yaml",
    '["pro", "enterprise"]',
    '["enterprise"]',
    "A full account in order hears of its quota and of nothing else.",
    {
      operations: CREATE_KEY,
      assume: [
        "valid",
        ...accountInOrder,
        "account.attr.usage.keys >= account.attr.limits.keys",
        "resource.attr.system == false",
        "resource.attr.state == 'active'",
      ],
      hears: "quota_exceeded",
      hearsOnly: "quota_exceeded",
    },
  ),
];

const ABSENT: readonly ClaimCase[] = [
  changed(
    "permissions/api.yaml",
    "- keys.createKey\n",
    "- keys.createKey\n        - keys.rotateKey\n",
    "No key is rotated.",
    {
      absent: "keys.rotateKey",
    },
  ),
  changed(
    "platform/api.yaml",
    "- apis.getApi\n",
    "- apis.getApi\n        - apis.archiveApi\n",
    "There is no archive.",
    {
      absent: ["apis.restoreApi", "apis.archiveApi"],
    },
  ),
  changed(
    "permissions/key.yaml",
    "- keys.getKey\n",
    "- keys.getKey\n        - keys.createKey\n",
    "Keys have no keys.",
    {
      absent: CREATE_KEY,
      kinds: "key",
    },
  ),
  changed(
    "platform/workspace.yaml",
    "- apis.listApis\n",
    '- apis.listApis\n        - "accounts.*"\n',
    "Accounts stay.",
    {
      absent: "accounts.deleteAccount",
    },
  ),
];

const LIVENESS: readonly ClaimCase[] = [
  changed("permissions/api.yaml", READERS, "- viewer\n        - editor\n", "An admin can always read its APIs.", {
    operations: "apis.getApi",
    assume: ["valid", "'admin' in key.roles", ...reaches],
    always: "allow",
  }),
  changed(
    "permissions/key.yaml",
    "R.id == P.id",
    'R.id == P.id && R.attr.state != "revoked"',
    "A key can revoke itself.",
    {
      operations: "keys.revokeKey",
      assume: ["valid", "resource.id == key.id", "resource.attr.system == false", ...reaches],
      always: "allow",
    },
  ),
  changed(
    "platform/account.yaml",
    "P.attr.usage.keys > 0.0",
    "P.attr.usage.keys > 1.0",
    "An editor can create a last key.",
    {
      operations: CREATE_KEY,
      assume: [
        "valid",
        "'editor' in key.roles",
        ...reaches,
        ...accountInOrder,
        "account.attr.limits.keys - account.attr.usage.keys >= 1.0",
        "resource.attr.system == false",
        "resource.attr.state == 'active'",
      ],
      always: "allow",
    },
  ),
  changed("permissions/workspace.yaml", READERS, "- editor\n        - admin\n", "A viewer can always list its APIs.", {
    operations: "apis.listApis",
    assume: ["valid", "'viewer' in key.roles", ...reaches],
    always: "allow",
  }),
  changed(
    "permissions/api.yaml",
    ', "api." + R.id + ".read_api"]',
    "]",
    "A permission for an API is enough to read it.",
    {
      operations: "apis.getApi",
      assume: ["valid", "('api.' + resource.id + '.read_api') in key.attr.permissions", ...reaches],
      always: "allow",
    },
  ),
  changed(
    "platform/key.yaml",
    "- name: not_available\n      actions:\n",
    "- name: not_available\n      actions:\n        - keys.revokeKey\n",
    "Nothing forbids to revoke a key that is not the system's.",
    { operations: "keys.revokeKey", assume: ["valid", "resource.attr.system == false"], never: "forbidden" },
  ),
];

export const CLAIM_CASES = [...TOGETHER, ...APART, ...SUBSETS, ...REASONS, ...ABSENT, ...LIVENESS];
