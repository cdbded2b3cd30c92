/** Laws are properties of the bundled fast-check 4. The program that asserts them may have fast-check 3. */

import type * as fc from "fast-check";

/**
 * Adds `errorMessage` to the failures of a property. The report of fast-check 3 prints it; fast-check 4 reads the error
 * itself.
 */
export function reportable<Values>(property: fc.IProperty<Values>): fc.IProperty<Values> {
  const run = property.run.bind(property);
  return Object.assign(property, {
    run: (values: Values) => {
      const failure = run(values);
      const isFailed = failure !== null && "error" in failure;
      return isFailed ? { ...failure, errorMessage: messageOf(failure.error) } : failure;
    },
  });
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.stack : undefined) ?? String(error);
}
