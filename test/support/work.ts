/**
 * How much work something is, as numbers that depend neither on the machine nor on what else it does. No test asserts
 * how long a thing took.
 */

import { Session } from "node:inspector";
import { afterAll, beforeAll } from "vitest";
import { ROOT } from "./built.js";

let counting: Session | undefined;

/** Begins to count. That walks the whole heap, and code that counts is slower. */
function start(): Session {
  const session = new Session();
  session.connect();
  // Answers come before `post` returns: the session is one with its own thread.
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  return session;
}

/** For files that ask {@link callsOf} often: counting begins once, and ends with the file. */
export function countThroughout(): void {
  beforeAll(() => {
    counting = start();
  });
  afterAll(() => {
    counting?.disconnect();
    counting = undefined;
  });
}

/**
 * How many functions were called, those of the source and of its dependencies. V8 counts that exactly. What it does
 * by itself, such as a search in a text, is no call, and generated functions are not counted.
 */
export function callsOf(run: () => unknown): number {
  const session = counting ?? start();
  try {
    takeCalls(session);
    run();
    return takeCalls(session);
  } finally {
    if (session !== counting) session.disconnect();
  }
}

/** The calls since it was asked last. */
function takeCalls(session: Session): number {
  let calls = Number.NaN;
  session.post("Profiler.takePreciseCoverage", (error, { result }) => {
    if (error !== null) throw error;
    const counted = result.filter(({ url }) => isCounted(url)).flatMap(({ functions }) => functions);
    calls = counted.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);
  });
  return calls;
}

/** Neither tests nor what runs them. */
function isCounted(url: string): boolean {
  return url.includes(`${ROOT}src/`) || (url.includes(`${ROOT}node_modules/`) && !/\/node_modules\/@?vite/.test(url));
}

/** A value that calls `read` whenever a member or an element of it, at any depth, is looked at, or all their names are. */
export function watched<T>(value: T, read: () => void): T {
  if (typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get(target, name, receiver) {
      if (typeof name === "string" && name !== "length") read();
      const member = Reflect.get(target, name, receiver);
      const isFixed = Reflect.getOwnPropertyDescriptor(target, name)?.writable === false;
      return typeof name === "string" && !isFixed && Object.hasOwn(target, name) ? watched(member, read) : member;
    },
    getOwnPropertyDescriptor(target, name) {
      read();
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
    ownKeys(target) {
      const names = Reflect.ownKeys(target);
      for (const _ of names) read();
      return names;
    },
  });
}
