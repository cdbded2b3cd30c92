/** Measures work as numbers that do not depend on the machine or its load. No test asserts a duration. */

import { afterAll, beforeAll } from "vitest";
import { ROOT } from "./built.js";
import { CallCounter } from "./calls.js";

let counting: CallCounter | undefined;

/** For files that often call {@link callsOf}: counting begins once, and ends with the file. */
export function countThroughout(): void {
  beforeAll(() => {
    counting = new CallCounter(isCounted);
  });
  afterAll(() => {
    counting?.stop();
    counting = undefined;
  });
}

/** The number of function calls in the source and its dependencies; generated functions are not counted. */
export function callsOf(run: () => unknown): number {
  const counter = counting ?? new CallCounter(isCounted);
  try {
    counter.take();
    run();
    return counter.take();
  } finally {
    if (counter !== counting) counter.stop();
  }
}

/** Excludes the tests and their runner. */
function isCounted(url: string): boolean {
  return url.includes(`${ROOT}src/`) || (url.includes(`${ROOT}node_modules/`) && !/\/node_modules\/@?vite/.test(url));
}

/** A value that calls `read` whenever code reads a member or element of it, at any depth, or lists their names. */
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
