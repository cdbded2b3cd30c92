/** Separate from the commands, which load the API's messages: help is shown without loading them. */

import { TOKEN_OPTIONS } from "./key-sets-usage.js";
import { OUTPUT_OPTION } from "./output-file.js";
import { SET_OPTIONS, SET_USAGE } from "./policy-options.js";
import { INPUT_OPTION } from "./read-input.js";
import type { Usage } from "./usage.js";

const NO_CHANGE = "changes nothing here: a request names the version of its policies";

const OPTIONS = {
  ...SET_OPTIONS,
  "permission-only": { does: NO_CHANGE },
  "other-version": { ...SET_OPTIONS["other-version"], does: NO_CHANGE },
  "typed-reads": { ...SET_OPTIONS["typed-reads"], does: "changes nothing here: the server has no such option" },
  "permission-version": {
    value: "V",
    does: "the version for requests that name none (engine.defaultPolicyVersion of the server)",
  },
  input: INPUT_OPTION,
  output: OUTPUT_OPTION,
  "lenient-scope-search": { does: "engine.lenientScopeSearch of the server" },
  "strict-evaluation": { does: "engine.strictEvaluation of the server" },
  "fail-closed": {
    does: "deny if a condition errs, as keyward decide does; a plan also denies what a principal policy denies for all",
  },
  now: { value: "T", does: "the time of every request, RFC 3339 (default: now)" },
  ...TOKEN_OPTIONS,
};

export const CHECK_RESOURCES: Usage = {
  name: "check-resources",
  takes: [SET_USAGE],
  does: "Answers Cerbos CheckResources requests (JSON, or JSON lines) as the server's HTTP API does. One response a line.",
  options: OPTIONS,
};

export const PLAN_RESOURCES: Usage = {
  name: "plan-resources",
  takes: [SET_USAGE],
  does: "Answers Cerbos PlanResources requests (JSON, or JSON lines): for which resources an action is allowed, as a condition on them. One response a line.",
  options: OPTIONS,
};
