import { expect, test } from "vitest";
import { RecentCache } from "../../../src/engine/plan/recent-cache.js";

const KINDS = ["file", "team", "user", "page", "note", "task", "goal", "card"];
const ACTIONS = ["read", "edit", "send", "move"];
const ROLES = ["viewer", "editor", "custom"];

test("names as long as each other, as those of one policy set often are, have places of their own", () => {
  const recent = new RecentCache<string>();
  const questions = KINDS.flatMap((kind) =>
    ACTIONS.flatMap((action) => ROLES.map((role) => ({ kind, action, role, name: [kind, action, role].join() }))),
  );
  // The second round finds again questions that were cached before the cache grew.
  for (const { kind, action, role, name } of [...questions, ...questions]) {
    if (recent.get(kind, action, [role]) === undefined) recent.set(kind, action, [role], name);
  }
  const found = questions.filter(({ kind, action, role, name }) => recent.get(kind, action, [role]) === name);
  expect(found.length).toBeGreaterThan(questions.length * 0.9);
  for (const { kind, action, role, name } of questions) {
    expect([undefined, name]).toContain(recent.get(kind, action, [role]));
  }
});

test("names that differ in a number at their end have places of their own", () => {
  const kinds = Array.from({ length: 100 }, (_, i) => `absence_${String(i).padStart(5, "0")}`);
  const recent = new RecentCache<string>();
  const questions = kinds.flatMap((kind) => ACTIONS.map((action) => ({ kind, action, name: [kind, action].join() })));
  for (const { kind, action, name } of questions) recent.set(kind, action, ["user"], name);
  const found = questions.filter(({ kind, action, name }) => recent.get(kind, action, ["user"]) === name);
  expect(found.length).toBeGreaterThan(questions.length * 0.7);
});

test("as many are kept as are asked for", () => {
  const kept = (size: number): number => {
    const recent = new RecentCache<string>(size);
    const kinds = Array.from({ length: 2_000 }, (_, i) => `kind_${i}`);
    for (const kind of kinds) recent.set(kind, "read", ["user"], kind);
    return kinds.filter((kind) => recent.get(kind, "read", ["user"]) === kind).length;
  };
  expect(kept(16)).toBe(16);
  expect(kept(1_024)).toBeLessThanOrEqual(1_024);
  expect(kept(4_096)).toBeGreaterThan(kept(1_024));
});

test("empty names, and no roles, are as any", () => {
  const recent = new RecentCache<string>();
  const pairs = [
    ["", ""],
    ["", "acme"],
    ["acme", ""],
    ["acme", "eu"],
    ["user", "read"],
    ["team", "read"],
  ] as const;
  for (const [first, second] of pairs) recent.set(first, second, [], `${first}/${second}`);
  for (const [first, second] of pairs) expect(recent.get(first, second, [])).toBe(`${first}/${second}`);
});

test("scopes are told apart, and so are those of principal and resource", () => {
  const recent = new RecentCache<string>();
  const scopes = ["", "acme", "acme.eu", "acme.us"];
  const pairs = scopes.flatMap((principal) => scopes.map((resource) => [principal, resource] as const));
  for (const [principal, resource] of pairs)
    recent.set("doc", "read", ["user"], `${principal}/${resource}`, principal, resource);
  const found = pairs.filter(([principal, resource]) => {
    const known = recent.get("doc", "read", ["user"], principal, resource);
    expect([undefined, `${principal}/${resource}`]).toContain(known);
    return known !== undefined;
  });
  expect(found.length).toBeGreaterThan(pairs.length * 0.9);
  const few = new RecentCache<string>(2);
  for (const [principal, resource] of pairs) {
    few.set("doc", "read", ["user"], `${principal}/${resource}`, principal, resource);
    for (const [one, other] of pairs) {
      expect([undefined, `${one}/${other}`]).toContain(few.get("doc", "read", ["user"], one, other));
    }
  }
  recent.set("doc", "read", ["user"], "too long", "s".repeat(100_000), "");
  expect(recent.get("doc", "read", ["user"], "s".repeat(100_000), "")).toBeUndefined();
});

/** The size of the cache, and the number of its entries. */
function placesOf(recent: RecentCache<unknown>): readonly number[] {
  const entries: readonly unknown[] = Reflect.get(recent, "entries");
  return [entries.length, entries.filter((one) => one !== undefined).length, Reflect.get(recent, "count")];
}

test("there are four times as many places once a quarter of them may be taken, up to the most", () => {
  const recent = new RecentCache<number>(1_024);
  expect(placesOf(recent)).toEqual([0, 0, 0]);
  const kinds = Array.from({ length: 400 }, (_, i) => `kind_${String(i).padStart(3, "0")}`);
  const sizes = kinds.map((kind, i) => {
    recent.set(kind, "read", [], i);
    return placesOf(recent)[0];
  });
  // The first entry creates the table and is not counted, nor is the entry that makes it grow.
  expect([sizes.indexOf(256), sizes.indexOf(1_024), sizes.at(-1)]).toEqual([0, 65, 1_024]);
  expect(placesOf(recent)[2]).toBe(400 - 66);
  expect(kinds.filter((kind, i) => recent.get(kind, "read", []) === i).length).toBeGreaterThan(300);
  const few = new RecentCache<number>(16);
  few.set("a", "b", [], 1);
  expect(placesOf(few)).toEqual([16, 1, 0]);
});

test("in which of the places a question stands is told by each of its texts, in a few of their characters", () => {
  const placed = (first: string, second: string, roles: readonly string[], ...scopes: readonly string[]) => {
    const recent = new RecentCache<number>();
    recent.set(first, second, roles, 1, ...scopes);
    const entries: readonly unknown[] = Reflect.get(recent, "entries");
    return entries.findIndex((one) => one !== undefined);
  };
  // The hash of "abcd": `c` and the length 4, each by its factor; for a scope 341 c + 67 b + 31 d + 7 a + 13 * 4.
  const scope = {
    abcd: 341 * 99 + 67 * 98 + 31 * 100 + 7 * 97 + 52,
    abc: 341 * 98 + 67 * 97 + 31 * 99 + 7 * 97 + 39,
    ab: 31 * 98 + 7 * 97 + 26,
  };
  expect([
    placed("abcd", "", []),
    placed("", "abcd", []),
    placed("", "", ["abcd"]),
    placed("", "", ["", "abcd"]),
    placed("", "", [], "abcd"),
    placed("", "", [], "", "abcd"),
    placed("ab", "abcd", ["abc"], "ab", "abc"),
  ]).toEqual(
    [
      37 * 99 + 101 * 4,
      5 * 99 + 59 * 4,
      11 * 99 + 31 * 4 + 3,
      6,
      7 * scope.abcd,
      59 * scope.abcd,
      37 * 98 + 101 * 2 + 5 * 99 + 59 * 4 + 11 * 98 + 31 * 3 + 3 + 7 * scope.ab + 59 * scope.abc,
    ].map((sum) => sum & 255),
  );
});

test("where a few characters leave too many in one place, more are looked at", () => {
  const recent = new RecentCache<string>();
  const kinds = Array.from({ length: 40 }, (_, i) => `kind_of_all_${String(i).padStart(2, "0")}_`);
  const seen = () => kinds.filter((kind) => recent.get(kind, "read", ["user"]) === kind).length;
  const ask = () => {
    for (const kind of kinds) {
      if (recent.get(kind, "read", ["user"]) === undefined) recent.set(kind, "read", ["user"], kind);
    }
    return [Reflect.get(recent, "dropped") >= 4, seen()];
  };
  // All names share the letters in the middle and at their ends, and differ in the letters before those.
  const rounds = [1, 2, 3].map(ask);
  expect(rounds.at(-1)).toEqual([true, 40]);
});

test("what is put where another stands moves that one to the place beside", () => {
  const recent = new RecentCache<string>();
  const entries = () => Reflect.get(recent, "entries").map((one: { found: string } | undefined) => one?.found);
  recent.set("abcd", "", ["r"], "first");
  const at = entries().indexOf("first");
  recent.set("abcd", "", ["r"], "second");
  expect([entries()[at], entries()[at ^ 1]]).toEqual(["second", "first"]);
  expect(recent.get("abcd", "", ["r"])).toBe("second");
});
