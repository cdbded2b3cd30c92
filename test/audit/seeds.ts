/** One-line changes of the shipped policies: some change decisions, some do not. */

import type { PolicyFile } from "../../src/index.js";
import { shippedFiles } from "../support/policies.js";

export interface Seed {
  readonly name: string;
  readonly path: string;
  readonly from: string;
  readonly to: string;
  /** The operations with changed decisions, and the first class of change to report. */
  readonly operations: readonly string[];
  readonly class: "widening" | "narrowing" | "refusal";
}

const API = "permissions/api.yaml";
const KEY = "permissions/key.yaml";
const WORKSPACE = "permissions/workspace.yaml";
const REACH = "permissions/reach.yaml";
const PLATFORM_API = "platform/api.yaml";
const PLATFORM_KEY = "platform/key.yaml";
const PLATFORM_WORKSPACE = "platform/workspace.yaml";
const ACCOUNT = "platform/account.yaml";

const ADMIN_API = `        - apis.updateApi
        - apis.deleteApi
      roles:
        - admin
`;
const ALL_CHANGES = ["keys.createKey", "apis.updateApi", "apis.deleteApi"];
const ON_KEYS = ["keys.getKey", "keys.verifyKey", "keys.revokeKey", "keys.updateKey", "keys.deleteKey"];
const EVERYTHING = ["apis.getApi", "apis.listKeys", ...ALL_CHANGES, ...ON_KEYS];

function seed(
  name: string,
  path: string,
  from: string,
  to: string,
  operations: readonly string[],
  kind: Seed["class"],
): Seed {
  return { name, path, from, to, operations, class: kind };
}

/** A rule of a file, from its name to the next one. */
function rule(path: string, name: string): string {
  const text = shippedFiles.find((file) => file.path === path)?.text ?? "";
  const found = new RegExp(`    - name: ${name.replaceAll(".", "\\.")}\n(?:(?!    - name: ).*\n)*`).exec(text);
  if (found === null) throw new Error(`${path} has no rule ${name}`);
  return found[0];
}

export const SEEDS: readonly Seed[] = [
  // Bounds moved by one.
  seed("keyCount <= 1", PLATFORM_API, "R.attr.keyCount == 0", "R.attr.keyCount <= 1", ["apis.deleteApi"], "widening"),
  seed("keyCount == 1", PLATFORM_API, "R.attr.keyCount == 0", "R.attr.keyCount == 1", ["apis.deleteApi"], "widening"),
  seed("keys > 1", ACCOUNT, "P.attr.usage.keys > 0.0", "P.attr.usage.keys > 1.0", ["keys.createKey"], "narrowing"),
  seed("keys >= 0", ACCOUNT, "P.attr.usage.keys > 0.0", "P.attr.usage.keys >= 0.0", ["keys.createKey"], "widening"),
  seed("apis > -1", ACCOUNT, "P.attr.usage.apis > 0.0", "P.attr.usage.apis > -1.0", ["apis.createApi"], "widening"),
  // Operators turned.
  seed(
    "state != draft",
    PLATFORM_API,
    'R.attr.state != "draft"',
    'R.attr.state == "draft"',
    ["keys.createKey"],
    "widening",
  ),
  seed("keyCount >= 0", PLATFORM_API, "R.attr.keyCount == 0", "R.attr.keyCount >= 0", ["apis.deleteApi"], "widening"),
  seed("keyCount != 0", PLATFORM_API, "R.attr.keyCount == 0", "R.attr.keyCount != 0", ["apis.deleteApi"], "widening"),
  seed(
    "|| in may_create",
    ACCOUNT,
    'P.attr.status == "active" &&',
    'P.attr.status == "active" ||',
    ["keys.createKey", "apis.createApi", "workspaces.createWorkspace"],
    "widening",
  ),
  seed(
    "|| in reach",
    REACH,
    "V.same_environment && V.in_workspace",
    "V.same_environment || V.in_workspace",
    EVERYTHING,
    "widening",
  ),
  seed(
    "the sum turned round",
    ACCOUNT,
    "P.attr.limits.keys - P.attr.usage.keys > 0.0",
    "P.attr.limits.keys - P.attr.usage.keys < 0.0",
    ["keys.createKey"],
    "widening",
  ),
  seed(
    "system == true",
    PLATFORM_KEY,
    "R.attr.system == false",
    "R.attr.system == true",
    ["keys.revokeKey", "keys.updateKey", "keys.deleteKey"],
    "widening",
  ),
  seed(
    "any for none",
    PLATFORM_WORKSPACE,
    "          none:\n            of:\n              - expr: R.attr.state",
    "          any:\n            of:\n              - expr: R.attr.state",
    ["apis.createApi", "workspaces.deleteWorkspace"],
    "widening",
  ),
  // Rules dropped.
  seed("no delete_protected", PLATFORM_API, rule(PLATFORM_API, "delete_protected"), "", ["apis.deleteApi"], "widening"),
  seed(
    "no platform_policy_violation",
    PLATFORM_KEY,
    rule(PLATFORM_KEY, "platform_policy_violation"),
    "",
    ["keys.updateKey", "keys.deleteKey"],
    "widening",
  ),
  seed(
    "no out_of_sequence.create_key",
    PLATFORM_API,
    rule(PLATFORM_API, "out_of_sequence.create_key"),
    "",
    ["keys.createKey"],
    "widening",
  ),
  seed("no permission_to_read_key", KEY, rule(KEY, "permission_to_read_key"), "", ["keys.getKey"], "narrowing"),
  seed(
    "no role_may_administer",
    WORKSPACE,
    rule(WORKSPACE, "role_may_administer"),
    "",
    ["apis.createApi", "workspaces.createWorkspace", "workspaces.deleteWorkspace"],
    "narrowing",
  ),
  // Roles and operations added and dropped.
  seed(
    "editors administer",
    API,
    ADMIN_API,
    `${ADMIN_API}        - editor\n`,
    ["apis.updateApi", "apis.deleteApi"],
    "widening",
  ),
  seed(
    "everyone administers",
    API,
    ADMIN_API,
    ADMIN_API.replace("admin", '"*"'),
    ["apis.updateApi", "apis.deleteApi"],
    "widening",
  ),
  seed(
    "auditors read",
    KEY,
    "        - viewer\n",
    "        - viewer\n        - auditor\n",
    ["keys.getKey", "keys.verifyKey"],
    "widening",
  ),
  seed("viewers do not read", KEY, "        - viewer\n", "", ["keys.getKey", "keys.verifyKey"], "narrowing"),
  seed(
    "deleting a key is not supported",
    PLATFORM_KEY,
    "        - keys.updateKey\n        - keys.deleteKey\n      roles:\n        - account\n      effect: EFFECT_ALLOW",
    "        - keys.updateKey\n      roles:\n        - account\n      effect: EFFECT_ALLOW",
    ["keys.deleteKey"],
    "narrowing",
  ),
  seed(
    "system APIs can be updated",
    PLATFORM_API,
    "        - apis.updateApi\n        - apis.deleteApi\n      roles:\n        - account\n      effect: EFFECT_DENY\n      condition:\n        match:\n          none:\n            of:\n              - expr: R.attr.system",
    "        - apis.deleteApi\n      roles:\n        - account\n      effect: EFFECT_DENY\n      condition:\n        match:\n          none:\n            of:\n              - expr: R.attr.system",
    ["apis.updateApi"],
    "widening",
  ),
  // Members of lists, and tuples.
  seed(
    "suspended APIs change",
    PLATFORM_API,
    '["draft", "active"]',
    '["draft", "active", "suspended"]',
    ALL_CHANGES,
    "widening",
  ),
  seed(
    "no past_due",
    ACCOUNT,
    '["active", "past_due"]',
    '["active"]',
    ["apis.updateApi", "apis.deleteApi", "keys.updateKey", "keys.deleteKey", "workspaces.deleteWorkspace"],
    "narrowing",
  ),
  seed(
    "free plan in production",
    ACCOUNT,
    '["pro", "enterprise"]',
    '["pro", "enterprise", "free"]',
    ["keys.createKey", "apis.createApi", "workspaces.createWorkspace"],
    "widening",
  ),
  seed(
    "another tuple",
    API,
    '"api." + R.id + ".delete_api"',
    '"api." + R.id + ".update_api"',
    ["apis.deleteApi"],
    "widening",
  ),
  seed("any prefix", KEY, '"key." + R.id + ".read_key"', '"api." + R.id + ".read_key"', ["keys.getKey"], "widening"),
  // Conditions weakened.
  seed(
    "no environment",
    REACH,
    "V.same_account && V.same_environment && V.in_workspace",
    "V.same_account && V.in_workspace",
    EVERYTHING,
    "widening",
  ),
  seed(
    "no account",
    REACH,
    "V.same_account && V.same_environment && V.in_workspace",
    "V.same_environment && V.in_workspace",
    EVERYTHING,
    "widening",
  ),
  seed(
    "holds forgotten",
    ACCOUNT,
    "R.attr.accountId == P.id && P.attr.holds == []",
    "R.attr.accountId == P.id",
    [
      ...[...ALL_CHANGES, "keys.updateKey", "keys.deleteKey", "apis.createApi", "workspaces.createWorkspace"],
      "workspaces.deleteWorkspace",
    ],
    "widening",
  ),
  seed(
    "development only",
    REACH,
    '["development", "production"]',
    '["development"]',
    [...EVERYTHING, "apis.createApi", "apis.listApis", "workspaces.createWorkspace", "workspaces.deleteWorkspace"],
    "narrowing",
  ),
];

/** The shipped files with one text replaced; the text must exist. */
export function changed(path: string, from: string, to: string): readonly PolicyFile[] {
  return shippedFiles.map((file) => {
    if (file.path !== path) return file;
    if (!file.text.includes(from)) throw new Error(`${path} does not have ${from}`);
    return { path, text: file.text.replace(from, () => to) };
  });
}

export interface Rewriting {
  readonly name: string;
  readonly files: () => readonly PolicyFile[];
}

function everywhere(path: string, from: RegExp, to: string): readonly PolicyFile[] {
  return shippedFiles.map((file) => (file.path === path ? { path, text: file.text.replace(from, to) } : file));
}

/** The rules of a file in the opposite order. */
function reversed(path: string): readonly PolicyFile[] {
  return shippedFiles.map((file) => {
    if (file.path !== path) return file;
    const start = file.text.indexOf("  rules:\n") + "  rules:\n".length;
    const rules = file.text.slice(start).split(/(?=^ {4}- name: )/m);
    const head = rules[0]?.includes("- name:") ? "" : (rules.shift() ?? "");
    return {
      path,
      text:
        file.text.slice(0, start) +
        head +
        rules
          .map((one) => `${one.trimEnd()}\n`)
          .reverse()
          .join(""),
    };
  });
}

export const REWRITINGS: readonly Rewriting[] = [
  { name: "comments", files: () => everywhere(PLATFORM_API, /^ *# Contract.*\n/gm, "    # Said otherwise.\n") },
  { name: "the order of files", files: () => [...shippedFiles].reverse() },
  { name: "the order of rules", files: () => reversed(PLATFORM_API) },
  {
    name: "the order of roles and operations",
    files: () =>
      changed(
        API,
        "        - viewer\n        - editor\n        - admin\n",
        "        - admin\n        - viewer\n        - editor\n",
      ),
  },
  { name: "a local variable renamed", files: () => everywhere(WORKSPACE, /workspace_in_reach/g, "reachable") },
  {
    name: "a variable written out",
    files: () =>
      changed(
        WORKSPACE,
        "          expr: V.workspace_in_reach\n",
        '          expr: V.same_account && V.same_environment && hasIntersection(["*", R.id], P.attr.workspaceIds)\n',
      ),
  },
  {
    name: "all of, for &&",
    files: () =>
      changed(
        API,
        "          expr: V.in_reach\n",
        "          all:\n            of:\n              - expr: V.same_account\n              - expr: V.same_environment\n              - expr: V.in_workspace\n",
      ),
  },
  {
    name: "the sides of a comparison",
    files: () => changed(PLATFORM_API, "R.attr.keyCount == 0", "0 == R.attr.keyCount"),
  },
  {
    name: "a bound of whole numbers",
    files: () => changed(ACCOUNT, "P.attr.usage.keys > 0.0", "P.attr.usage.keys >= 1.0"),
  },
  {
    name: "members spelled out",
    files: () =>
      changed(
        PLATFORM_KEY,
        'R.attr.state in ["enabled", "disabled"]',
        '(R.attr.state == "enabled" || R.attr.state == "disabled")',
      ),
  },
  {
    name: "an equality turned round",
    files: () => changed(PLATFORM_API, 'R.attr.state != "draft"', '(!(R.attr.state == "draft"))'),
  },
  {
    name: "one rule as two",
    files: () =>
      changed(
        API,
        rule(API, "role_may_administer"),
        ["apis.updateApi", "apis.deleteApi"]
          .map((operation, i) =>
            rule(API, "role_may_administer")
              .replace("role_may_administer", `role_may_administer_${i}`)
              .replace(new RegExp(`        - (?!${operation})apis\\.\\w+\n`), ""),
          )
          .join(""),
      ),
  },
];
