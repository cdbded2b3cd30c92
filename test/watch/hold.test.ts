/**
 * Under `onWidening: "hold"` sets are compared in a worker thread. A set that cannot be compared is held.
 *
 * @module-tag long
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { decide } from "../../src/index.js";
import { compareInWorker } from "../../src/watch/compare-in-worker.js";
import { type LiveEvent, type LiveOptions, LivePolicies } from "../../src/watch/index.js";
import { widenings } from "../../src/watch/widenings.js";
import { changed } from "../audit/seeds.js";
import { BUILT, ROOT } from "../support/built.js";
import { policy } from "../support/compose.js";
import { shippedCopy } from "../support/directory.js";
import { compiled, shipped } from "../support/policies.js";

const API = "platform/api.yaml";

const sets = (after = compiled(changed(API, "R.attr.keyCount == 0", "R.attr.keyCount <= 1"))) => ({
  before: { files: shipped.files, configuration: shipped.configuration },
  after: { files: after.files, configuration: after.configuration },
  options: {},
});

/** The URL of a worker's program with this text. */
function programOf(text: string): URL {
  const directory = mkdtempSync(join(tmpdir(), "keyward-worker-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "program.mjs");
  writeFileSync(path, text);
  return pathToFileURL(path);
}

describe("a comparison in a worker", () => {
  test("finds what a comparison in this thread finds, and timers go on meanwhile", async () => {
    const here = widenings(sets());
    expect(here.widenings.length).toBeGreaterThan(0);
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1);
    const there = await compareInWorker(sets());
    clearInterval(timer);
    expect(there).toEqual({ kind: "compared", found: here });
    // A comparison in this thread lets no timer tick.
    expect(ticks).toBeGreaterThan(10);
  });

  test.each([
    ["throws", 'throw new Error("no such thing")', /: no such thing$/],
    ["ends at once", "process.exit(7)", /: it ended with 7 before it answered$/],
    [
      "answers something else",
      'import { parentPort } from "node:worker_threads"; parentPort.postMessage({ gaps: [] });',
      /: its answer cannot be read$/,
    ],
    ["cannot be loaded", 'import "./nowhere.js";', /nowhere\.js/],
  ])("fails, with the reason, where the program %s", async (_what, text, why) => {
    expect(await compareInWorker(sets(), programOf(text))).toEqual({
      kind: "failed",
      why: expect.stringMatching(why),
    });
  });

  test("fails where there is no program, and where an option cannot be sent", async () => {
    expect((await compareInWorker(sets(), new URL("file:///nowhere/program.mjs"))).kind).toBe("failed");
    const options = Object.assign({}, { typedReads: true, log: () => undefined });
    expect((await compareInWorker({ ...sets(), options })).kind).toBe("failed");
  });

  test("fails where a set does not compile, or where the options did not arrive", async () => {
    const files = [{ path: "a.yaml", text: "apiVersion: x" }];
    const { before, after } = sets();
    const why = async (given: Parameters<typeof compareInWorker>[0]) => {
      const result = await compareInWorker(given);
      return result.kind === "failed" ? result.why : "compared";
    };
    expect(await why({ before, after: { ...after, files }, options: {} })).toMatch(/the policies do not compile: /);
    expect(await why({ before, after, options: { typedReads: false } })).toMatch(/another configuration$/);
  });
});

describe("live policies", () => {
  async function opened(options: LiveOptions) {
    const events: LiveEvent[] = [];
    const directory = shippedCopy();
    const loaded = await LivePolicies.load(directory, { ...options, onEvent: (event) => events.push(event) })();
    if (isLeft(loaded)) throw new Error("not loaded");
    const edit = (path: string, change: (text: string) => string) =>
      writeFileSync(join(directory, path), change(readFileSync(join(directory, path), "utf8")));
    return { live: loaded.right, events, edit };
  }

  const narrow = (text: string) => text.replaceAll("        - viewer\n", "");
  const PERMISSIONS = "permissions/api.yaml";

  test("hold a set that cannot be compared, though it allows less, and say why", async () => {
    // An option that cannot be sent to a thread makes the comparison fail.
    const platform = Object.assign({ unlisted: "forbidden" } as const, { log: () => undefined });
    const options: LiveOptions = { onWidening: "hold", platform };
    const { live, events, edit } = await opened(options);
    const before = live.current;
    edit(PERMISSIONS, narrow);
    await live.reload();
    expect(live.current).toBe(before);
    expect(events).toEqual([
      {
        kind: "held",
        inForce: before.hash,
        held: { hash: live.held?.hash, widenings: [], gaps: [], failure: expect.stringMatching(/could not be cloned/) },
      },
    ]);
    // A further reload tries again, and a person can take the set all the same.
    await live.reload();
    expect(events.map(({ kind }) => kind)).toEqual(["held", "held"]);
    expect(live.confirm(live.held?.hash ?? "")).toBe(true);
    expect(events.at(-1)?.kind).toBe("taken");
  });

  test("compare with the set in force at the end, if another was confirmed meanwhile", async () => {
    const { live, events, edit } = await opened({ onWidening: "hold" });
    const request = {
      key: { id: "k", roles: ["viewer"], attr: { accountId: "a", permissions: [] } },
      operation: "apis.getApi",
      resource: { kind: "api", id: "r", attr: { accountId: "a", state: "active" } },
      account: { id: "a", attr: {} },
    };
    const own = readText(live, PERMISSIONS);
    // The first edit narrows viewers away and lets auditors in, so it is held.
    edit(PERMISSIONS, (text) => text.replaceAll("- viewer", "- auditor"));
    await live.reload();
    expect(live.held).toBeDefined();
    // The old text allows no more than the set in force. Then the held set is confirmed, and the old text is a widening.
    edit(PERMISSIONS, () => `${own}# as before\n`);
    const reloading = live.reload();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(live.confirm(live.held?.hash ?? "")).toBe(true);
    await reloading;
    expect(events.map(({ kind }) => kind)).toEqual(["held", "taken", "held"]);
    expect(decide(live.current.set, request).outcome).not.toBe("allow");
  });
});

test.skipIf(!BUILT)("the built package has the worker's program beside it", async () => {
  const built: typeof import("../../src/watch/index.js") = await import(pathToFileURL(`${ROOT}dist/watch.js`).href);
  const directory = shippedCopy();
  const loaded = await built.LivePolicies.load(directory, { onWidening: "hold" })();
  if (isLeft(loaded)) throw new Error("not loaded");
  const path = join(directory, API);
  writeFileSync(path, readFileSync(path, "utf8").replace("R.attr.keyCount == 0", "R.attr.keyCount <= 1"));
  await loaded.right.reload();
  const { held } = loaded.right;
  expect(held?.failure).toBeUndefined();
  expect(held?.widenings).toEqual(widenings(sets()).widenings);
});

function readText(live: LivePolicies, path: string): string {
  return live.current.set.files.find((file) => file.path === path)?.text ?? policy({ rules: [] });
}
