/** Operations that one layer knows and the other does not, and those that no test asks for. */

import type { Finding, OperationFacts, RuleFacts } from "../types.js";

/** `rules`: by id. `hasPlatform`: there is a platform layer, which supports operations or does not. */
export function operationFindings(
  operations: readonly OperationFacts[],
  rules: ReadonlyMap<string, RuleFacts>,
  hasPlatform: boolean,
): readonly Finding[] {
  const untested = operations.length > 0 && operations.every(({ tests, isPattern }) => isPattern || tests === 0);
  const none: Finding = { ...NO_TEST, message: "no test asks for any operation", file: "", line: 1, column: 1 };
  return [...(untested ? [none] : []), ...ofOperations(operations, rules, hasPlatform, untested)];
}

const NO_TEST = { code: "untested_operation", severity: "warning" } as const;

/** `untested`: that there are no tests is said already. */
function ofOperations(
  operations: readonly OperationFacts[],
  rules: ReadonlyMap<string, RuleFacts>,
  hasPlatform: boolean,
  untested: boolean,
): readonly Finding[] {
  return operations.flatMap((operation) => {
    const name = `${operation.operation} on ${operation.kind}`;
    const place = placeOf(operation, rules);
    const everyScope = operation.scopes.length > 0 && operation.others.length === 0;
    const found: Finding[] = [];
    if (everyScope && operation.scopes.every(({ supported }) => supported === "never")) {
      const message = `${name} is permitted to some, and the platform never supports it: it is always forbidden`;
      const granted = operation.scopes.some(({ cells }) => cells.some(({ chance }) => chance !== "never"));
      if (granted) found.push({ code: "unsupported_operation", severity: "warning", message, ...place });
    } else if (everyScope && operation.scopes.every(({ cells }) => cells.every(({ chance }) => chance === "never"))) {
      const message = hasPlatform
        ? `${name} is supported by the platform, and no role may do it`
        : `${name} is in the policies, and no role may do it`;
      found.push({ code: "ungranted_operation", severity: "warning", message, ...place });
    }
    if (operation.tests === 0 && !untested) found.push({ ...NO_TEST, message: `no test asks for ${name}`, ...place });
    return found;
  });
}

/** The first rule that is about it. */
function placeOf({ scopes, others }: OperationFacts, rules: ReadonlyMap<string, RuleFacts>) {
  const ids = scopes.flatMap(({ permission, platform }) => [
    ...permission.allow,
    ...platform.allow,
    ...permission.deny,
    ...platform.deny,
  ]);
  const [rule] = [...ids, ...others].flatMap((id) => rules.get(id) ?? []);
  return { file: rule?.place.file ?? "", line: rule?.place.line ?? 1, column: 1, ...(rule && { rule: rule.id }) };
}
