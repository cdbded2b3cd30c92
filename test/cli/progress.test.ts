/** The progress line: only on a terminal without other output, updated at intervals, and wiped at the end. */

import { afterEach, expect, test, vi } from "vitest";
import { run } from "../../src/cli/run.js";
import { SHIPPED_ROOT } from "../support/policies.js";
import { ask } from "../support/requests.js";

afterEach(() => {
  vi.useRealTimers();
});

/** The progress output for 5 requests that arrive 200 ms apart. */
async function written(terminals: { readonly outIsTerminal?: boolean; readonly errIsTerminal?: boolean }) {
  vi.useFakeTimers({ toFake: ["performance"] });
  const line = `${JSON.stringify(ask("apis.getApi"))}\n`;
  async function* slowly() {
    for (let i = 0; i < 5; i++) {
      vi.advanceTimersByTime(200);
      yield line;
    }
  }
  const [out, err]: [string[], string[]] = [[], []];
  const streams = { stdin: slowly(), out: (text: string) => out.push(text), err: (text: string) => err.push(text) };
  const code = await run(["decide", "--policies", SHIPPED_ROOT], { ...streams, ...terminals });
  expect([code, out.length]).toEqual([0, 5]);
  return err;
}

test("a screen that does not show the decisions shows how many there are", async () => {
  const start = "\r\x1b[K";
  const shown = await written({ errIsTerminal: true });
  expect(shown.at(-1)).toBe(start);
  expect(shown.slice(0, -1)).not.toEqual([]);
  for (const text of shown.slice(0, -1)) {
    expect(text.startsWith(start)).toBe(true);
    expect(text.slice(start.length)).toMatch(/^[1-5] requests$/);
  }
  expect(shown.length).toBeLessThan(5);
});

test("nobody who looks at the decisions, or at nothing, is told", async () => {
  expect(await written({ errIsTerminal: true, outIsTerminal: true })).toEqual([]);
  expect(await written({})).toEqual([]);
});
