/** Decision points for tests: policies, data and requests. */

import { type AuthzenOptions, authzenHandler } from "../../src/authzen/index.js";
import type { PolicySet } from "../../src/index.js";
import { compiled } from "../support/policies.js";

export const BASE = "https://pdp.example.com";

const RECORD = `
apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: record
  version: default
  schemas:
    resourceSchema: { ref: "cerbos:///record.json" }
  rules:
    - name: members_read
      actions: [read]
      effect: EFFECT_ALLOW
      roles: [member, admin]
    - name: owners_write
      actions: [write]
      effect: EFFECT_ALLOW
      roles: [member]
      condition: { match: { expr: R.attr.owner == P.id && R.attr.status == "active" } }
    - name: admins_write
      actions: [write]
      effect: EFFECT_ALLOW
      roles: [admin]
      condition: { match: { expr: R.attr.status == "active" } }
    - name: admins_delete
      actions: [delete]
      effect: EFFECT_ALLOW
      roles: [admin]
    - name: owners_delete_softly
      actions: [delete]
      effect: EFFECT_ALLOW
      roles: [member]
      condition: { match: { all: { of: [{ expr: R.attr.owner == P.id }, { expr: R.attr.soft == true }] } } }
    - name: anybody_at_home_exports
      actions: [export]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { expr: 'P.attr.ip == "10.0.0.1"' } }
`;

const RECORD_SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  additionalProperties: false,
  properties: {
    owner: { type: "string" },
    status: { enum: ["active", "archived"] },
    soft: { type: "boolean" },
  },
};

export const RECORDS: PolicySet = compiled(
  [
    { path: "record.yaml", text: RECORD },
    { path: "_schemas/record.json", text: JSON.stringify(RECORD_SCHEMA) },
  ],
  { platform: "none", schemaEnforcement: "reject" },
);

export const MAPPING = {
  attributes: { resource: { soft: "action.properties.soft" }, key: { ip: "context.ip" } },
} as const;

export const DATA = {
  subjects: [
    { type: "user", id: "alice", roles: ["member"] },
    { type: "user", id: "bob", roles: ["admin"], properties: { department: "Sales" } },
    { type: "user", id: "carol" },
  ],
  resources: [
    { type: "record", id: "record-2", properties: { owner: "alice", status: "archived" } },
    { type: "record", id: "record-1", properties: { owner: "alice", status: "active" } },
    { type: "record", id: "record-3", properties: { owner: "bob", status: "active" } },
  ],
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, if it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many forms.
  readonly json: any;
}

export type Send = (path: string, body: unknown, headers?: Record<string, string>) => Promise<Answer>;

/** Sends requests to a handler. A text is sent as it is, another body as JSON. */
export function sender(options: AuthzenOptions): Send {
  const handler = authzenHandler(options);
  return async (path, body, headers = {}) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const init = { method: "POST", body: text, headers: { "content-type": "application/json", ...headers } };
    return await answerIn(await handler(new Request(BASE + path, init)));
  };
}

export async function answerIn(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text();
  const isJson = headers.get("content-type")?.startsWith("application/json") === true;
  return { status, headers, text, json: isJson ? JSON.parse(text) : undefined };
}

export const EVALUATION = "/access/v1/evaluation";
export const EVALUATIONS = "/access/v1/evaluations";
export const SEARCH = {
  subject: "/access/v1/search/subject",
  resource: "/access/v1/search/resource",
  action: "/access/v1/search/action",
} as const;

export function asked(subject: string, action: string, resource: string, more: object = {}): object {
  return {
    subject: { type: "user", id: subject },
    action: { name: action },
    resource: { type: "record", id: resource },
    ...more,
  };
}
