/**
 * Live policies follow changes of their directory.
 *
 * @module-tag long
 */

import { cpSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { decide, PoliciesError } from "../../src/index.js";
import { readLockedDirectory } from "../../src/node/directory.js";
import { writeLock } from "../../src/node/lock.js";
import { type LiveEvent, type LiveOptions, LivePolicies, watchPolicies } from "../../src/watch/index.js";
import { beginnings, SHIPPED_PATHS, shippedCopy } from "../support/directory.js";
import { SHIPPED_ROOT } from "../support/policies.js";
import { ask } from "../support/requests.js";
import { sized } from "../support/size.js";

const PATH = "platform/api.yaml";
const QUIET = 2_000;

/** A directory with the shipped policies, the live policies, their events, and a clock that only the test advances. */
async function opened(options: LiveOptions = {}, directory = shippedCopy(), graceMs?: number) {
  const events: LiveEvent[] = [];
  let time = 0;
  const loaded = await LivePolicies.load(directory, {
    onEvent: (event) => events.push(event),
    now: () => time,
    ...options,
  })();
  if (isLeft(loaded)) throw new Error("not loaded");
  const live = loaded.right;
  const look = live.looks(QUIET, graceMs);
  /** Advances the clock by `ms`, then looks. */
  const pass = async (ms: number) => {
    time += ms;
    await look();
  };
  const file = (path: string) => join(directory, path);
  const edit = (path: string, change: (text: string) => string) =>
    writeFileSync(file(path), change(readFileSync(file(path), "utf8")));
  return { live, events, directory, pass, file, edit };
}

async function lock(directory: string): Promise<void> {
  const read = await readLockedDirectory(directory, { lock: "ignored" })();
  if (isLeft(read)) throw new Error("not read");
  await writeLock(directory, read.right.files);
}

const kinds = (events: readonly LiveEvent[]) => events.map(({ kind }) => kind);
const codes = (event: LiveEvent | undefined) =>
  event?.kind === "refused" ? event.issues.map(({ file, line, code }) => `${file}:${line} ${code}`) : [];

describe("when a change is taken over", () => {
  test("once nothing has changed for the quiet time, and once", async () => {
    const { live, events, pass, edit } = await opened();
    const before = live.current;
    edit(PATH, (text) => `${text}# 1\n`);
    await pass(100);
    edit(PATH, (text) => `${text}# 2\n`);
    await pass(QUIET - 1);
    await pass(QUIET - 1);
    expect([live.current, events]).toEqual([before, []]);
    await pass(1);
    expect(events).toEqual([{ kind: "taken", hash: live.current.hash, before: before.hash }]);
    for (let i = 0; i < 3; i++) await pass(QUIET);
    expect(events.length).toBe(1);
  });

  test("nothing is, of what is taken back before", async () => {
    const { events, pass, file, edit } = await opened();
    const text = readFileSync(file(PATH), "utf8");
    edit(PATH, () => "half");
    await pass(QUIET - 1);
    edit(PATH, () => text);
    await pass(QUIET);
    await pass(QUIET);
    expect(events).toEqual([]);
  });

  test("at once, of a link in the path that leads elsewhere", async () => {
    const old = shippedCopy();
    const next = shippedCopy();
    const link = `${old}-link`;
    onTestFinished(() => rmSync(link));
    symlinkSync(old, link);
    const { events, pass } = await opened({}, link);
    writeFileSync(
      join(next, "more.yaml"),
      readFileSync(join(next, PATH), "utf8").replace("resource: api", "resource: b"),
    );
    symlinkSync(next, `${link}-next`);
    renameSync(`${link}-next`, link);
    await pass(1);
    expect(kinds(events)).toEqual(["taken"]);
  });

  test("at once, of a directory that Kubernetes mounts: its files are links into another one in it", async () => {
    const directory = shippedCopy();
    for (const [version, more] of [
      ["..1", ""],
      ["..2", "# more\n"],
    ] as const) {
      cpSync(join(directory, "platform"), join(directory, version), { recursive: true });
      const text = readFileSync(join(directory, version, "api.yaml"), "utf8");
      writeFileSync(join(directory, version, "api.yaml"), text + more);
    }
    rmSync(join(directory, "platform"), { recursive: true });
    symlinkSync("..1", join(directory, "..data"));
    for (const name of ["account", "api", "key", "workspace"]) {
      symlinkSync(`..data/${name}.yaml`, join(directory, `${name}.yaml`));
    }
    const { events, pass } = await opened({}, directory);
    symlinkSync("..2", join(directory, "..next"));
    renameSync(join(directory, "..next"), join(directory, "..data"));
    await pass(1);
    expect(kinds(events)).toEqual(["taken"]);
  });

  test("a directory that is gone for a while, and a link to nothing in it, change nothing", async () => {
    const { events, pass, directory } = await opened();
    renameSync(directory, `${directory}-away`);
    await pass(QUIET);
    renameSync(`${directory}-away`, directory);
    symlinkSync("nobody@nowhere", join(directory, ".#api.yaml"));
    await pass(QUIET);
    await pass(QUIET);
    expect(events).toEqual([]);
  });

  test("by looking from time to time", async () => {
    const { live, events, edit } = await opened();
    const stop = live.watch({ quietMs: 0, intervalMs: 1 });
    edit(PATH, (text) => `${text}# 1\n`);
    while (events.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await stop();
    expect(kinds(events)).toEqual(["taken"]);
  });
});

describe("what is not taken over is told, and the set in force stays", () => {
  test("what is not valid", async () => {
    const { live, events, edit } = await opened();
    const before = live.current;
    edit(PATH, (text) => text.replace("EFFECT_ALLOW", "EFFECT_MAYBE"));
    await live.reload();
    expect([live.current, live.refused]).toEqual([before, true]);
    expect(codes(events[0])).toEqual([expect.stringMatching(/^platform\/api\.yaml:\d+ shape$/)]);
  });

  test("a file that ends in the middle of what it was, unless somebody asks for it", async () => {
    const { live, events, edit } = await opened();
    const before = live.current;
    edit(PATH, (text) => text.split("\n").slice(0, 55).join("\n"));
    await live.reload("edited");
    expect([live.current, codes(events[0])]).toEqual([before, [`${PATH}:55 cut`]]);
    await live.reload();
    expect(kinds(events)).toEqual(["refused", "taken"]);
  });

  test("a set that has lost its lock, unless somebody asks for it", async () => {
    const directory = shippedCopy();
    await lock(directory);
    const { live, events, file, edit } = await opened({}, directory);
    rmSync(file("keyward.lock"));
    edit(PATH, (text) => `${text}# more\n`);
    await live.reload("edited");
    expect(codes(events[0])).toEqual(["keyward.lock:1 lock"]);
    await live.reload();
    expect(kinds(events)).toEqual(["refused", "taken"]);
  });

  test("what does not fit its lock; but a file may be cut if the lock has it so", async () => {
    const directory = shippedCopy();
    await lock(directory);
    const { live, events, edit } = await opened({}, directory);
    edit(PATH, (text) => text.split("\n").slice(0, 55).join("\n"));
    await live.reload();
    expect(codes(events[0])).toEqual([`${PATH}:1 lock`]);
    await lock(directory);
    await live.reload("edited");
    expect(kinds(events)).toEqual(["refused", "taken"]);
  });

  test("a directory that is gone for the grace time, once, until it is back", async () => {
    const { live, events, pass, directory } = await opened({}, shippedCopy(), 10_000);
    const before = live.current;
    renameSync(directory, `${directory}-away`);
    await pass(1);
    await pass(9_999);
    expect([live.refused, events]).toEqual([false, []]);
    for (let time = 0; time < 3; time++) await pass(1);
    expect([live.current, live.refused, kinds(events)]).toEqual([before, true, ["refused"]]);
    renameSync(`${directory}-away`, directory);
    await pass(1);
    expect([live.current, live.refused, kinds(events)]).toEqual([before, false, ["refused"]]);
  });

  test("what changes while it is read", async () => {
    const { live, events, edit } = await opened();
    const before = live.current;
    const reload = live.reload();
    // Writes to the file until the reload ends.
    let ended = false;
    const writing = (async () => {
      for (let i = 0; !ended; i++) {
        edit(PATH, (text) => `${text}# ${i}\n`);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await reload;
    ended = true;
    await writing;
    expect([live.current, codes(events[0])]).toEqual([before, [expect.stringMatching(/:1 io$/)]]);
  });
});

test("no answer changes while a writer pauses for less than the quiet time, wherever it pauses", async () => {
  const { live, events, pass, file } = await opened();
  const before = live.current;
  const each = Math.ceil(sized(2_000) / SHIPPED_PATHS.length);
  let pauses = 0;
  for (const path of SHIPPED_PATHS) {
    const text = readFileSync(file(path), "utf8");
    for (const beginning of beginnings(text, each)) {
      writeFileSync(file(path), beginning);
      await pass(1);
      await pass(QUIET - 1);
      expect(live.current).toBe(before);
      pauses++;
    }
    writeFileSync(file(path), text);
  }
  await pass(QUIET);
  await pass(QUIET);
  expect(events).toEqual([]);
  expect(pauses).toBeGreaterThan(sized(2_000) + 500);
});

describe("a change by which more is allowed, where such are held", () => {
  const request = ask("apis.getApi", { roles: ["auditor"] });
  const widen = (text: string) => text.replaceAll("- viewer", "- viewer\n        - auditor");
  const API = "permissions/api.yaml";

  test("waits, with what it would allow, until it is confirmed by its hash", async () => {
    const { live, events, edit } = await opened({ onWidening: "hold" });
    const before = live.current;
    edit(API, widen);
    await live.reload("edited");
    await live.reload("swapped");
    await live.reload();
    expect([live.current, live.refused]).toEqual([before, false]);
    expect(decide(live.current.set, request).outcome).toBe("insufficient_permissions");
    const { held } = live;
    expect(events).toEqual([
      { kind: "held", held: expect.objectContaining({ hash: held?.hash }), inForce: before.hash },
    ]);
    expect(held?.widenings).toContainEqual(
      expect.objectContaining({ operation: "apis.getApi", roles: [["auditor"]], to: "allow" }),
    );
    expect(live.confirm(before.hash)).toBe(false);
    expect(live.confirm(held?.hash ?? "")).toBe(true);
    expect([live.current.hash, live.held]).toEqual([held?.hash, undefined]);
    expect(decide(live.current.set, request).outcome).toBe("allow");
    expect(live.confirm(held?.hash ?? "")).toBe(false);
    expect(kinds(events)).toEqual(["held", "taken"]);
  });

  test("is no longer held once the files are others", async () => {
    const { live, events, file, edit } = await opened({ onWidening: "hold" });
    const text = readFileSync(file(API), "utf8");
    for (const next of [text, "no policy"]) {
      edit(API, () => widen(text));
      await live.reload();
      const hash = live.held?.hash ?? "";
      expect(hash).not.toBe("");
      edit(API, () => next);
      await live.reload();
      expect([live.held, live.confirm(hash)]).toEqual([undefined, false]);
    }
    expect(kinds(events)).toEqual(["held", "held", "refused"]);
  });

  test("a narrowing is not held, nor is anything where that is not asked for", async () => {
    const narrowing = await opened({ onWidening: "hold" });
    narrowing.edit(API, (text) => text.replaceAll("- viewer", "- auditor"));
    await narrowing.live.reload();
    expect(kinds(narrowing.events)).toEqual(["held"]);
    const less = await opened({ onWidening: "hold" });
    less.edit(API, (text) => text.replaceAll("        - viewer\n", ""));
    await less.live.reload();
    expect(kinds(less.events)).toEqual(["taken"]);
    const any = await opened();
    any.edit(API, widen);
    await any.live.reload();
    expect(kinds(any.events)).toEqual(["taken"]);
  });
});

describe("files that are gone", () => {
  const GRACE = 10_000;

  async function without(options: LiveOptions = {}) {
    const one = await opened(options, shippedCopy(), GRACE);
    rmSync(one.file(PATH));
    await one.pass(0);
    await one.pass(QUIET);
    return one;
  }

  test("are told, and the set is taken over if it stays so for the grace time", async () => {
    const { live, events, pass } = await without();
    const before = live.current;
    expect([kinds(events), codes(events[0]), live.refused]).toEqual([["refused"], [`${PATH}:1 removed`], true]);
    await pass(GRACE - 1);
    expect(live.current).toBe(before);
    await pass(1);
    expect([kinds(events), live.refused]).toEqual([["refused", "taken"], false]);
    expect(live.current.set.model.resourcePolicies.some(({ at }) => at.file === PATH)).toBe(false);
    await pass(GRACE);
    expect(events).toHaveLength(2);
  });

  test("are back in time: nothing has changed", async () => {
    const { live, events, pass, file } = await without();
    const before = live.current;
    writeFileSync(file(PATH), readFileSync(join(SHIPPED_ROOT, PATH)));
    await pass(1);
    await pass(QUIET);
    await pass(GRACE);
    expect([live.current, kinds(events), live.refused]).toEqual([before, ["refused"], false]);
  });

  test("begin their grace time anew with every change", async () => {
    const { events, pass, edit } = await without();
    await pass(GRACE - 1);
    edit("platform/key.yaml", (text) => `${text}# 1\n`);
    await pass(1);
    expect(kinds(events)).toEqual(["refused"]);
    await pass(QUIET);
    await pass(GRACE - 1);
    expect(kinds(events)).toEqual(["refused", "refused"]);
    await pass(1);
    expect(kinds(events)).toEqual(["refused", "refused", "taken"]);
  });

  test("are refused for as long as nobody asks, if so it is wanted", async () => {
    const { live, events, pass } = await without({ onRemoval: "refuse" });
    await pass(GRACE);
    await pass(GRACE);
    expect(kinds(events)).toEqual(["refused"]);
    await live.reload();
    expect(kinds(events)).toEqual(["refused", "taken"]);
  });

  test("are no matter where they were renamed, or the lock says so", async () => {
    const { events, pass, file, directory } = await opened();
    renameSync(file(PATH), file("platform/apis.yaml"));
    await pass(0);
    await pass(QUIET);
    expect(kinds(events)).toEqual(["taken"]);
    rmSync(file("platform/apis.yaml"));
    await lock(directory);
    await pass(0);
    await pass(QUIET);
    expect(kinds(events)).toEqual(["taken", "taken"]);
  });
});

describe("watchPolicies", () => {
  test("keeps the last set that was good, and follows the directory until it is stopped", async () => {
    const directory = shippedCopy();
    const events: LiveEvent[] = [];
    const told = (count: number) =>
      expect.poll(() => events.length, { timeout: 60_000, interval: 5 }).toBeGreaterThanOrEqual(count);
    const watched = await watchPolicies(directory, {
      quietMs: 0,
      intervalMs: 1,
      graceMs: 0,
      onEvent: (event) => events.push(event),
    });
    const request = ask("apis.deleteApi", { resource: { system: true } });
    const first = watched.set;
    expect(decide(first, request).outcome).toBe("forbidden");
    writeFileSync(join(directory, PATH), "half");
    await told(1);
    expect([watched.set, watched.live.refused]).toEqual([first, true]);
    rmSync(join(directory, PATH));
    await told(3);
    await watched.stop();
    expect(new Set(kinds(events))).toEqual(new Set(["refused", "taken"]));
    expect(watched.set).not.toBe(first);
  });

  test("rejects with what is wrong where there is nothing to begin with", async () => {
    const directory = shippedCopy();
    writeFileSync(join(directory, PATH), "half");
    const failed = watchPolicies(directory, { onEvent: () => {} });
    await expect(failed).rejects.toThrow(PoliciesError);
    await expect(failed).rejects.toThrow(`${PATH}:1:1 error shape`);
  });
});

test.each<object>([
  { onWidening: undefined },
  { onWidening: "Hold" },
  { onRemoval: undefined },
  { onRemoval: "refused" },
])("an option that has no such value is refused, and does not stand for the laxer one: %j", async (options) => {
  expect(() => LivePolicies.load(SHIPPED_ROOT, options)).toThrow(TypeError);
  await expect(watchPolicies(SHIPPED_ROOT, { onEvent: () => {}, ...options })).rejects.toBeInstanceOf(TypeError);
});

test("times that no timer has are refused", async () => {
  const { live } = await opened();
  for (const time of [Number.NaN, -1]) {
    for (const name of ["quietMs", "intervalMs", "graceMs"]) {
      expect(() => live.watch({ [name]: time })).toThrow(new RegExp(`^${name} must be a number of milliseconds`));
    }
    expect(() => live.looks(time)).toThrow(TypeError);
    expect(() => live.looks(0, time)).toThrow(TypeError);
  }
  expect(() => live.watch({ intervalMs: Infinity })).toThrow(/^intervalMs must be a number of milliseconds from 0 to/);
  expect(() => live.looks(undefined as never)).toThrow(TypeError);
  expect(() => live.looks(0, Infinity)).not.toThrow();
});

test("a set that does not meet the requirements of the program is refused, at first and at each reload", async () => {
  const problem = { file: PATH, line: 1, column: 1, severity: "error", code: "requirement", message: "no" } as const;
  let isMet = true;
  const { live, events, edit } = await opened({ requires: () => (isMet ? [] : [problem]) });
  const before = live.current;
  isMet = false;
  edit(PATH, (text) => `${text}# 1\n`);
  await live.reload();
  expect([live.current === before, live.refused, codes(events.at(-1))]).toEqual([
    true,
    true,
    [`${PATH}:1 requirement`],
  ]);
  expect(await LivePolicies.load(shippedCopy(), { requires: () => [problem] })()).toEqual({
    _tag: "Left",
    left: [problem],
  });
  isMet = true;
  await live.reload();
  expect([live.current === before, live.refused]).toEqual([false, false]);
});
