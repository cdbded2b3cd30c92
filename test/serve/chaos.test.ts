/**
 * `keyward serve` under load, while its processes are killed, its policies are half written, and hostile callers send
 * what they like. Each answer is that of `decide` by a set that was in force: nothing is opened, and nothing is lost.
 *
 * @module-tag long
 */

import { writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePoliciesOrThrow, decide } from "../../src/index.js";
import "../support/seed.js";
import { BUILT } from "../support/built.js";
import { sized } from "../support/size.js";
import { CHECK, EVALUATION, post, type ServerProcess, spawned, waitFor } from "./support.js";

/** The last rule denies: a text that ends before it would open. */
const textOf = (reading: string) => `
apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: record
  version: default
  rules:
    - { name: ${reading}, actions: [${reading}], effect: EFFECT_ALLOW, roles: [member] }
    - { name: export, actions: [export], effect: EFFECT_ALLOW, roles: [member] }
    - name: write
      actions: [write]
      effect: EFFECT_ALLOW
      roles: [member]
      condition: { match: { expr: R.attr.owner == P.id } }
    - name: secret
      actions: ["*"]
      effect: EFFECT_DENY
      roles: ["*"]
      condition: { match: { expr: R.attr.secret } }
`;
const TEXTS = [textOf("read"), textOf("list")];
const SETS = TEXTS.map((text) => compilePoliciesOrThrow([{ path: "record.yaml", text }], { platform: "none" }));

interface Question {
  readonly subject: string;
  readonly action: string;
  readonly owner: string;
  readonly secret: boolean;
}

const QUESTION = fc.record({
  subject: fc.constantFrom("alice", "bob"),
  action: fc.constantFrom("read", "list", "write", "export", "delete"),
  owner: fc.constantFrom("alice", "bob"),
  secret: fc.boolean(),
});

/** The answers of the sets. */
function expectedOf({ subject, action, owner, secret }: Question): readonly boolean[] {
  const resource = { kind: "record", id: "101", attr: { owner, secret } };
  const key = { id: subject, roles: ["member"], attr: {} };
  return SETS.map((set) => decide(set, { key, operation: action, resource }).outcome === "allow");
}

interface Tally {
  answered: number;
  unanswered: number;
  allowed: number;
  hostile: number;
  wrong: string[];
}

/** Asks until it is told to stop. A connection may break; an answer may not be wrong. */
async function ask(origin: string, questions: readonly Question[], tally: Tally, isOver: () => boolean): Promise<void> {
  for (let i = 0; !isOver(); i++) {
    const question = questions[i % questions.length];
    if (question === undefined) return;
    const { subject, action, owner, secret } = question;
    const properties = { owner, secret };
    try {
      let allowed: boolean;
      if (i % 2 === 0) {
        const response = await post(origin + EVALUATION, {
          subject: { type: "member", id: subject },
          action: { name: action },
          resource: { type: "record", id: "101", properties },
        });
        if (response.status !== 200) throw new Error(`${response.status}`);
        allowed = JSON.parse(await response.text()).decision;
      } else {
        const response = await post(origin + CHECK, {
          requestId: "r",
          principal: { id: subject, roles: ["member"] },
          resources: [{ actions: [action], resource: { kind: "record", id: "101", attr: properties } }],
        });
        if (response.status !== 200) throw new Error(`${response.status}`);
        allowed = JSON.parse(await response.text()).results[0].actions[action] === "EFFECT_ALLOW";
      }
      tally.answered += 1;
      if (allowed) tally.allowed += 1;
      if (!expectedOf(question).includes(allowed)) tally.wrong.push(JSON.stringify([question, allowed]));
    } catch {
      tally.unanswered += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

const HOSTILE = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.json(),
  fc.constantFrom("", "{", "[".repeat(50_000), '{"a":'.repeat(2_000), "\ud800", "null", "1e999", "\u0000"),
  fc.constant(`{"subject":${JSON.stringify("x".repeat(1_100_000))}}`),
  fc.constant('{"subject":{"type":"member","id":"alice"},"subject":{"type":"admin","id":"root"}}'),
  fc.constant('{"__proto__":{"decision":true},"constructor":{}}'),
);

/** Sends malformed bodies: none is answered with an allow, and none with an error of the program. */
async function attack(origin: string, bodies: readonly string[], tally: Tally, isOver: () => boolean): Promise<void> {
  for (let i = 0; !isOver(); i++) {
    const path = i % 2 === 0 ? EVALUATION : CHECK;
    const body = bodies[i % bodies.length] ?? "";
    try {
      const response = await post(origin + path, body);
      const text = await response.text();
      tally.hostile += 1;
      if (response.status === 500 || /true|EFFECT_ALLOW/.test(text)) tally.wrong.push(`${body.slice(0, 80)}: ${text}`);
    } catch {
      tally.unanswered += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Holds connections that send a byte at a time. */
function drip(port: number, count: number): () => void {
  const sockets: Socket[] = Array.from({ length: count }, () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {}).write(`POST ${EVALUATION} HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n`);
    return socket;
  });
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write("x");
  }, 300);
  return () => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  };
}

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

/** Writes policies in pieces, each of which stays for a while. */
async function writeSlowly(file: string, text: string): Promise<void> {
  for (const part of [0.2, 0.5, 0.8]) {
    await writeFile(file, text.slice(0, text.length * part));
    await pause(150);
  }
  await writeFile(file, text);
}

const workers = ({ log }: ServerProcess) =>
  log().flatMap(({ event, pid }) => (event === "started" && typeof pid === "number" ? [pid] : []));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.skipIf(!BUILT)("the command (skipped without dist/: npm run build)", () => {
  test("opens nothing while it is killed, misconfigured and attacked", async () => {
    const tally: Tally = { answered: 0, unanswered: 0, allowed: 0, hostile: 0, wrong: [] };
    const questions = fc.sample(QUESTION, 200);
    const bodies = fc.sample(HOSTILE, 200);
    const port = await freePort();
    let taken = 0;
    let refused = 0;
    for (let round = 0; round < sized(8, 2); round++) {
      const args = ["--workers", "2", "--listen", `127.0.0.1:${port}`];
      await spawned(
        args,
        async (server) => {
          const { origin, directory, log, kill, exited } = server;
          await waitFor(() => (workers(server).length === 2 ? true : undefined));
          let isOver = false;
          const load = [
            ...Array.from({ length: 8 }, (_, i) => ask(origin, questions.slice(i * 20), tally, () => isOver)),
            ...Array.from({ length: 2 }, (_, i) => attack(origin, bodies.slice(i * 50), tally, () => isOver)),
          ];
          const stopDripping = drip(port, 50);
          try {
            const file = join(directory, "policies/record.yaml");
            for (const text of [TEXTS[1] ?? "", TEXTS[0] ?? ""]) {
              await writeSlowly(file, text);
              const [victim] = workers(server).filter(isAlive);
              if (victim !== undefined) process.kill(victim, "SIGKILL");
              const known = log().length;
              await waitFor(() =>
                log()
                  .slice(known)
                  .find(({ event }) => event === "policies taken"),
              );
            }
            // This one stays half written, in the middle of the rule that denies.
            const [text = ""] = TEXTS;
            await writeFile(file, text.slice(0, text.indexOf("R.attr.secret")));
            await waitFor(() => log().find(({ event }) => event === "policies refused"));
            await pause(500);
            if (round % 2 === 0) kill("SIGKILL");
          } finally {
            isOver = true;
            stopDripping();
            await Promise.all(load);
          }
          taken += log().filter(({ event }) => event === "policies taken").length;
          refused += log().filter(({ event }) => event === "policies refused").length;
          if (round % 2 === 0) {
            await exited;
            await waitFor(() => (workers(server).some(isAlive) ? undefined : true));
          }
        },
        { "policies/record.yaml": TEXTS[0] ?? "" },
      );
    }
    expect(tally.wrong).toEqual([]);
    expect(tally.answered).toBeGreaterThan(200);
    expect(tally.allowed).toBeGreaterThan(tally.answered / 20);
    expect(tally.hostile).toBeGreaterThan(20);
    expect([taken > 0, refused > 0]).toEqual([true, true]);
  });

  test("clients that send a byte at a time do not keep others waiting, and lose their connections", async () => {
    await spawned(
      [],
      async ({ origin }) => {
        const port = Number(new URL(origin).port);
        const closed: Promise<void>[] = [];
        const sockets = Array.from({ length: 200 }, () => {
          const socket = connect(port, "127.0.0.1");
          socket.on("error", () => {}).resume();
          closed.push(new Promise((resolve) => socket.once("close", () => resolve())));
          socket.write(`POST ${EVALUATION} HTTP/1.1\r\nHost: a\r\nX-Slow: `);
          return socket;
        });
        const timer = setInterval(() => {
          for (const socket of sockets) if (socket.writable) socket.write("x");
        }, 500);
        const tally: Tally = { answered: 0, unanswered: 0, allowed: 0, hostile: 0, wrong: [] };
        await ask(origin, fc.sample(QUESTION, 50), tally, () => tally.answered + tally.unanswered >= 50);
        expect([tally.answered, tally.unanswered, tally.wrong]).toEqual([50, 0, []]);
        await Promise.all(closed);
        clearInterval(timer);
      },
      { "policies/record.yaml": TEXTS[0] ?? "" },
    );
  });
});
