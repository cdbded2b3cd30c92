/** Searches, page by page. */

import { describe, expect, test } from "vitest";
import { authzenHandler } from "../../src/authzen/index.js";
import { answerIn, asked, BASE, DATA, MAPPING, RECORDS, SEARCH, type Send, sender } from "./support.js";

const send = sender({ policies: RECORDS, mapping: MAPPING, data: DATA });

type Part = keyof typeof SEARCH;

async function found(part: Part, body: object): Promise<readonly string[]> {
  const { status, json } = await send(SEARCH[part], body);
  expect(status).toBe(200);
  expect(json.page).toEqual({ next_token: "", count: json.results.length });
  return json.results.map((result: { readonly id?: string; readonly name?: string }) => result.id ?? result.name);
}

const subjects = (action: string, resource: string) => ({
  ...asked("", action, resource),
  subject: { type: "user" },
});
const resources = (subject: string, action: string, properties?: object) => ({
  ...asked(subject, action, ""),
  resource: { type: "record", ...(properties === undefined ? {} : { properties }) },
});

describe("results", () => {
  test("are those that evaluations allow, in the order of the data", async () => {
    expect(await found("resource", resources("alice", "read"))).toEqual(["record-2", "record-1", "record-3"]);
    expect(await found("resource", resources("alice", "write"))).toEqual(["record-1"]);
    expect(await found("resource", resources("bob", "write"))).toEqual(["record-1", "record-3"]);
    expect(await found("subject", subjects("write", "record-1"))).toEqual(["alice", "bob"]);
    expect(await found("subject", subjects("delete", "record-1"))).toEqual(["bob"]);
    expect(await found("action", { ...asked("alice", "", "record-1"), action: undefined })).toEqual(["read", "write"]);
  });

  test("have their types", async () => {
    const { json } = await send(SEARCH.resource, resources("alice", "write"));
    expect(json.results).toEqual([{ type: "record", id: "record-1" }]);
    const actions = await send(SEARCH.action, { ...asked("bob", "", "record-2"), action: undefined });
    expect(actions.json.results).toEqual([{ name: "read" }, { name: "delete" }]);
  });

  test("the id of the searched part is ignored; its properties are taken", async () => {
    const ignored = { ...resources("alice", "write"), resource: { type: "record", id: 5 } };
    expect(await found("resource", ignored)).toEqual(["record-1"]);
    expect(await found("resource", resources("alice", "write", { owner: "alice" }))).toEqual(["record-1", "record-3"]);
    const softly = { name: "read", properties: { soft: true } };
    expect(await found("action", { ...asked("alice", "", "record-2"), action: softly })).toEqual(["read", "delete"]);
    expect(await found("resource", resources("alice", "write", { colour: "red" }))).toEqual(["record-1"]);
  });

  test("nothing is found for unknown names", async () => {
    expect(await found("resource", resources("nobody", "read"))).toEqual([]);
    expect(await found("resource", resources("alice", "fly"))).toEqual([]);
    expect(await found("subject", subjects("read", "record-9"))).toEqual([]);
    expect(await found("subject", { ...subjects("read", "record-1"), subject: { type: "robot" } })).toEqual([]);
    expect(await found("resource", { ...resources("alice", "read"), resource: { type: "page" } })).toEqual([]);
    expect(await found("action", { ...asked("nobody", "", "record-1"), action: undefined })).toEqual([]);
    const page = { type: "page", id: "1" };
    expect(await found("action", { ...asked("alice", "", ""), action: undefined, resource: page })).toEqual([]);
  });
});

describe("faulty searches", () => {
  test.each<[part: Part, body: object, message: string]>([
    ["subject", asked("", "read", "record-1", { subject: {} }), "subject.type is missing"],
    ["subject", asked("", "read", "record-1", { subject: undefined }), "subject is missing"],
    ["subject", asked("", "read", "record-1", { subject: { type: 1 } }), "subject.type must be a string"],
    ["subject", { ...subjects("read", "record-1"), action: undefined }, "action is missing"],
    ["resource", { ...resources("alice", "read"), subject: undefined }, "subject is missing"],
    ["action", asked("alice", "", "record-1", { action: null }), "action must be an object"],
    ["action", asked("alice", "", "record-1", { action: "read" }), "action must be an object"],
    ["resource", { ...resources("alice", "read"), page: [] }, "page must be an object"],
    ["resource", { ...resources("alice", "read"), page: { limit: 0 } }, "page.limit must be a whole number"],
    ["resource", { ...resources("alice", "read"), page: { limit: "1" } }, "page.limit must be a whole number"],
    ["resource", { ...resources("alice", "read"), page: { limit: 1.5 } }, "page.limit must be a whole number"],
    ["resource", { ...resources("alice", "read"), page: { token: 5 } }, "page.token must be a string"],
    ["resource", { ...resources("alice", "read"), page: { token: null } }, "page.token must be a string"],
    ["resource", { ...resources("alice", "read"), page: { token: "x" } }, "page.token is not a token of this search"],
  ])("%s: %j", async (part, body, message) => {
    const { status, text } = await send(SEARCH[part], body);
    expect(status).toBe(400);
    expect(text).toContain(message);
  });

  test("a property of another type is a fault of the search", async () => {
    const { status, text } = await send(SEARCH.resource, resources("alice", "read", { owner: 5 }));
    expect([status, text]).toEqual([400, "resource.properties.owner is not of the type that the policies declare"]);
  });
});

describe("pages", () => {
  const DATA_OF_MANY = {
    subjects: DATA.subjects,
    resources: Array.from({ length: 25 }, (_, i) => ({
      type: "record",
      id: `r${i}`,
      properties: { owner: i % 3 === 0 ? "alice" : "bob", status: "active" },
    })),
  };
  const ALL = DATA_OF_MANY.resources.filter((_, i) => i % 3 === 0).map(({ id }) => id);
  const many = sender({ policies: RECORDS, mapping: MAPPING, data: DATA_OF_MANY });

  async function pages(point: Send, limits: readonly number[], body = resources("alice", "write")) {
    const found: string[][] = [];
    let token = "";
    for (let i = 0; i === 0 || token !== ""; i++) {
      const limit = limits[i % limits.length];
      const { json } = await point(SEARCH.resource, { ...body, page: { limit, ...(i === 0 ? {} : { token }) } });
      expect(json.page.count).toBe(json.results.length);
      found.push(json.results.map(({ id }: { readonly id: string }) => id));
      token = json.page.next_token;
    }
    return found;
  }

  test.each([[[1]], [[2]], [[3, 1]], [[8]], [[9]], [[10]], [[5_000]]])("limits %j", async (limits) => {
    const found = await pages(many, limits);
    expect(found.flat()).toEqual(ALL);
    for (const [i, page] of found.slice(0, -1).entries()) expect(page).toHaveLength(limits[i % limits.length] ?? 0);
    expect(found.at(-1)?.length).toBeGreaterThan(0);
  });

  test("a page has at most the limit of the decision point", async () => {
    const small = sender({ policies: RECORDS, data: DATA_OF_MANY, limits: { results: 4 } });
    expect((await pages(small, [100])).map(({ length }) => length)).toEqual([4, 4, 1]);
  });

  test("a token is good for its search alone", async () => {
    const body = resources("alice", "write");
    const { json } = await many(SEARCH.resource, { ...body, page: { limit: 2 } });
    const token: string = json.page.next_token;
    const status = async (point: Send, path: string, sent: object, sentToken = token) =>
      (await point(path, { ...sent, page: { token: sentToken } })).status;
    expect(await status(many, SEARCH.resource, body)).toBe(200);
    // Neither the order of members nor an unknown field is another search.
    const { subject, action, resource } = asked("alice", "write", "") as Record<string, object>;
    const reordered = { foo: 1, resource: { properties: {}, ...resource }, action, subject };
    expect(await status(many, SEARCH.resource, { ...reordered, resource: body.resource })).toBe(200);
    for (const other of [
      resources("bob", "write"),
      resources("alice", "read"),
      resources("alice", "write", { status: "active" }),
      { ...body, context: {} },
    ]) {
      expect(await status(many, SEARCH.resource, other)).toBe(400);
    }
    expect(await status(many, SEARCH.subject, { ...body, resource: { type: "record", id: "r1" } })).toBe(400);
    for (const forged of [
      `${token}0`,
      token.slice(0, -1),
      token.replace(/^\d+/, "0"),
      token.toUpperCase(),
      "0-",
      " ",
    ]) {
      expect(await status(many, SEARCH.resource, body, forged)).toBe(400);
    }
    expect(
      await status(sender({ policies: RECORDS, mapping: MAPPING, data: DATA_OF_MANY }), SEARCH.resource, body),
    ).toBe(400);
  });

  test("decision points with one secret take each other's tokens, unless their data differ", async () => {
    const tokenSecret = new Uint8Array(32).fill(7);
    const body = { ...resources("alice", "write"), page: { limit: 2 } };
    const [one, two, three] = [DATA_OF_MANY, DATA_OF_MANY, DATA].map((data) =>
      sender({ policies: RECORDS, data, tokenSecret }),
    );
    if (one === undefined || two === undefined || three === undefined) throw new Error("unreachable");
    const token = (await one(SEARCH.resource, body)).json.page.next_token;
    const statuses = [two, three].map(
      async (point) => (await point(SEARCH.resource, { ...body, page: { token } })).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 400]);
  });

  test("a long search lets other requests through", async () => {
    const resources = Array.from({ length: 5_000 }, (_, i) => ({ type: "record", id: `r${i}` }));
    const handler = authzenHandler({ policies: RECORDS, data: { ...DATA, resources }, limits: { results: 5_000 } });
    const post = (body: object) => {
      const init = { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } };
      return handler(new Request(BASE + SEARCH.resource, init));
    };
    const order: string[] = [];
    const long = post({ ...asked("alice", "read", ""), resource: { type: "record" } }).then((response) => {
      order.push("long");
      return response;
    });
    const short = new Promise((resolve) => setTimeout(resolve)).then(() => order.push("short"));
    const { json } = await answerIn(await long);
    await short;
    expect([json.results.length, order]).toEqual([5_000, ["short", "long"]]);
  });
});
