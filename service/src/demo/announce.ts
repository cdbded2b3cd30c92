/** Prints the demonstration: one line for programs, and commands for people. */

import type { Demo } from "./seed.js";

/** `{"demo":{"baseUrl","keys","apis"}}`. The secrets are shown here only. */
export function demoLine(baseUrl: string, { keys, apis }: Pick<Demo, "keys" | "apis">): string {
  return JSON.stringify({ demo: { baseUrl, keys, apis } });
}

interface DemoExample {
  /** The rule of docs/contract.md, by its number, and its illustration. */
  readonly title: string;
  readonly answer: string;
  readonly path: string;
  readonly key: string;
  readonly body: object;
}

/** Commands to paste into a shell: a successful operation, and every refusal of the contract. */
export function demoCommands(baseUrl: string, demo: Demo): string {
  return shown(demo)
    .map(({ title, answer, path, key, body }) =>
      [
        `# ${title}: ${answer}`,
        `curl -s '${baseUrl}${path}' -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`,
      ].join("\n"),
    )
    .join("\n\n");
}

function shown({ keys, apis, more }: Demo): readonly DemoExample[] {
  const createKey = (key: string, apiId: string) => ({
    path: "/v1/keys.createKey",
    key,
    body: { apiId, name: "From the demonstration" },
  });
  const deleteApi = (key: string, apiId: string) => ({ path: "/v2/apis.deleteApi", key, body: { apiId } });
  const insufficient = "403 insufficient_permissions";
  const forbidden = "403 forbidden";
  return [
    { title: "A key that may", answer: "200", ...createKey(keys.admin, apis.active) },
    { title: "7.3.1 A read-only key writes", answer: insufficient, ...createKey(keys.read_only, apis.active) },
    {
      title: "7.3.2 A key for certain APIs is used on another",
      answer: insufficient,
      ...createKey(keys.limited, more.emptyApi),
    },
    {
      title: "7.3.3 A key for one workspace is used in another",
      answer: insufficient,
      ...createKey(keys.other_workspace, apis.active),
    },
    {
      title: "7.3.4 An editor administers",
      answer: insufficient,
      ...deleteApi(keys.editor, more.emptyApi),
    },
    {
      title: "7.3.6 A development key is used in production",
      answer: insufficient,
      ...createKey(keys.development, apis.active),
    },
    { title: "7.4.1 The API is the system's", answer: forbidden, ...deleteApi(keys.admin, apis.system) },
    { title: "7.4.2 The API is suspended", answer: forbidden, ...createKey(keys.admin, apis.suspended) },
    { title: "7.4.3 The account has no keys left", answer: forbidden, ...createKey(keys.full_admin, apis.full) },
    {
      title: "7.4.4 The account is on hold",
      answer: forbidden,
      ...createKey(more.onHold.admin, more.onHold.api),
    },
    {
      title: "7.4.5 The plan has no production environment",
      answer: forbidden,
      ...createKey(more.free.admin, more.free.api),
    },
    { title: "7.4.6 The API is not published yet", answer: forbidden, ...createKey(keys.admin, apis.draft) },
    {
      title: "7.4.7 The API is protected from deletion",
      answer: forbidden,
      ...deleteApi(keys.admin, apis.delete_protected),
    },
    { title: "7.3.5 A key that may, at first", answer: "200", ...createKey(keys.limited, apis.active) },
    {
      title: "7.3.5 Its permissions are reduced",
      answer: "200",
      path: "/v2/keys.updateKey",
      key: keys.admin,
      body: { keyId: more.limitedKeyId, permissions: [] },
    },
    {
      title: "7.3.5 It is used as before",
      answer: insufficient,
      ...createKey(keys.limited, apis.active),
    },
  ];
}
