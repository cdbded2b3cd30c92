/**
 * `keyward serve` as processes: signals, workers, and the end.
 *
 * @module-tag long
 */

import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { BUILT } from "../support/built.js";
import { decisionOn, EVALUATION, evaluationOf, spawned, waitFor } from "./support.js";

const DATA = ["--data", "FILE:data.json"];

describe.skipIf(!BUILT)("the command (skipped without dist/: npm run build)", () => {
  test("a request that is under way at the end is answered", async () => {
    await spawned(DATA, async ({ origin, kill, exited, log }) => {
      const body = JSON.stringify(evaluationOf("read"));
      const head = `POST ${EVALUATION} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
      let text = "";
      const socket = connect(Number(new URL(origin).port), "127.0.0.1");
      socket.on("data", (data) => {
        text += String(data);
      });
      await new Promise<void>((resolve) => socket.write(head + body.slice(0, 10), () => resolve()));
      // The server has seen the head once it has answered another request.
      await decisionOn(origin, "read");
      kill("SIGTERM");
      await new Promise((resolve) => setTimeout(resolve, 300));
      socket.write(body.slice(10));
      expect(await exited).toBe(0);
      expect(text).toContain('{"decision":true}');
      expect(log().map(({ event }) => event)).toEqual(["started", "ended"]);
    });
  });

  test("an idle connection does not hold up the end", async () => {
    await spawned(DATA, async ({ origin, kill, exited }) => {
      await decisionOn(origin, "read");
      const started = Date.now();
      kill("SIGINT");
      expect(await exited).toBe(0);
      expect(Date.now() - started).toBeLessThan(5_000);
    });
  });

  test("workers share the address, their metrics are added up, and those that die are replaced", async () => {
    await spawned([...DATA, "--workers", "2", "--metrics"], async ({ origin, log, kill, exited }) => {
      const pids = () =>
        log().flatMap(({ event, pid }) => (event === "started" && typeof pid === "number" ? [pid] : []));
      await waitFor(() => (pids().length === 2 ? true : undefined));
      for (let i = 0; i < 20; i++) expect(await decisionOn(origin, "read")).toBe(true);
      const metrics = await (await fetch(`${origin}/metrics`)).text();
      expect(metrics).toContain('keyward_decisions_total{api="authzen",outcome="allow"} 20\n');
      const [first = 0] = pids();
      process.kill(first, "SIGKILL");
      await waitFor(() => (pids().length === 3 ? true : undefined));
      expect(log()).toContainEqual(expect.objectContaining({ event: "worker died", signal: "SIGKILL" }));
      expect(await decisionOn(origin, "read")).toBe(true);
      kill("SIGTERM");
      expect(await exited).toBe(0);
      for (const pid of pids()) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    });
  });

  test("a worker that is starting does not hold up the end", async () => {
    await spawned([...DATA, "--workers", "2"], async ({ log, kill, exited }) => {
      const started = () => log().filter(({ event }) => event === "started");
      await waitFor(() => (started().length === 2 ? true : undefined));
      process.kill(Number(started()[0]?.pid), "SIGKILL");
      await waitFor(() => log().find(({ event }) => event === "worker died"));
      kill("SIGTERM");
      expect(await exited).toBe(0);
    });
  });

  test("workers whose first process is killed end as well", async () => {
    await spawned([...DATA, "--workers", "2"], async ({ log, kill }) => {
      const pids = () =>
        log().flatMap(({ event, pid }) => (event === "started" && typeof pid === "number" ? [pid] : []));
      await waitFor(() => (pids().length === 2 ? true : undefined));
      kill("SIGKILL");
      const isGone = (pid: number) => {
        try {
          process.kill(pid, 0);
          return false;
        } catch {
          return true;
        }
      };
      await waitFor(() => (pids().every(isGone) ? true : undefined));
    });
  });
});
