/** The interoperability scenarios of the AuthZEN working group, with policies of our own. The files are read in place. */

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { compiled } from "../support/policies.js";
import { EVALUATION, EVALUATIONS, sender } from "./support.js";

const CORPUS = fileURLToPath(new URL("../../../shared/corpus/authzen/", import.meta.url));

interface Scenario {
  readonly evaluation: readonly { readonly request: object; readonly expected: boolean }[];
  readonly evaluations?: readonly { readonly request: object; readonly expected: readonly object[] }[];
}

function scenario(file: string): Scenario {
  return JSON.parse(readFileSync(CORPUS + file, "utf8"));
}

/** The people of both scenarios, by the digit that differs in their ids. */
const PEOPLE = [
  ["0", "rick@the-citadel.com", ["admin", "evil_genius"]],
  ["1", "morty@the-citadel.com", ["editor"]],
  ["2", "summer@the-smiths.com", ["editor"]],
  ["3", "beth@the-smiths.com", ["viewer"]],
  ["4", "jerry@the-smiths.com", ["viewer"]],
] as const;

const subjects = (type: string) =>
  PEOPLE.map(([digit, email, roles]) => ({
    type,
    id: Buffer.from(`\n$fd${digit}614d3-c39a-4781-b7bd-8b96f5a5100d\x12\x05local`)
      .toString("base64")
      .replace(/=+$/, ""),
    roles,
    properties: { email },
  }));

const rule = (actions: readonly string[], roles: readonly string[], expr?: string) => ({
  actions,
  roles,
  effect: "EFFECT_ALLOW",
  ...(expr === undefined ? {} : { condition: { match: { expr } } }),
});
const policy = (resource: string, rules: readonly object[]) => ({
  path: `${resource}.yaml`,
  text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy: { resource, version: "default", rules } }),
});

const OWN = "R.attr.ownerID == P.attr.email";
const EVERYBODY = ["viewer", "editor", "admin"];
const TODO = [
  policy("user", [rule(["can_read_user"], EVERYBODY)]),
  policy("todo", [
    rule(["can_read_todos"], EVERYBODY),
    rule(["can_create_todo"], ["editor", "admin"]),
    rule(["can_update_todo"], ["evil_genius"]),
    rule(["can_update_todo", "can_delete_todo"], ["editor"], OWN),
    rule(["can_delete_todo"], ["admin"]),
  ]),
];
const GATEWAY = [policy("route", [rule(["GET"], EVERYBODY), rule(["POST", "PUT", "DELETE"], ["editor", "admin"])])];

describe.skipIf(!existsSync(CORPUS))(`interoperability (skipped without ${CORPUS})`, () => {
  test("Todo: 40 evaluations, and 3 of several at once", async () => {
    const send = sender({ policies: compiled(TODO, { platform: "none" }), data: { subjects: subjects("user") } });
    const { evaluation, evaluations = [] } = scenario("todo-decisions-1_0-02.json");
    expect([evaluation.length, evaluations.length]).toEqual([40, 3]);
    for (const { request, expected } of evaluation) {
      expect([request, (await send(EVALUATION, request)).json.decision]).toEqual([request, expected]);
    }
    for (const { request, expected } of evaluations) {
      expect((await send(EVALUATIONS, request)).json.evaluations).toMatchObject(expected);
    }
  });

  test("API gateway: 25 evaluations", async () => {
    const send = sender({
      policies: compiled(GATEWAY, { platform: "none" }),
      data: { subjects: subjects("identity") },
    });
    const { evaluation } = scenario("gateway-decisions.json");
    expect(evaluation).toHaveLength(25);
    for (const { request, expected } of evaluation) {
      expect([request, (await send(EVALUATION, request)).json.decision]).toEqual([request, expected]);
    }
  });
});
