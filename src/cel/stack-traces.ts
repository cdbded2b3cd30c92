/**
 * Does synchronous work without stack traces in the errors that it makes. The `yaml` package makes an error for each
 * fault of a text, although one is enough to refuse it, and recording their stacks took four fifths of the time.
 */
export function withoutStackTraces<T>(work: () => T): T {
  const limit: unknown = Reflect.get(Error, "stackTraceLimit");
  // Where intrinsics are frozen this returns false, and the stacks are recorded.
  Reflect.set(Error, "stackTraceLimit", 0);
  try {
    return work();
  } finally {
    Reflect.set(Error, "stackTraceLimit", limit);
  }
}
