/** Evaluates a state of the playground. The page itself decides; its worker computes the longer account. */

import { explain } from "../../src/audit/explain/explain.js";
import { explanationText } from "../../src/audit/explain/text.js";
import { findingsOf } from "../../src/audit/findings/findings.js";
import { requestOf } from "../../src/audit/review/panel/result.js";
import { decideAny } from "../../src/decisions/decide.js";
import { compileWith } from "../../src/decisions/policy-set.js";
import type { PermissionRequest } from "../../src/decisions/types.js";
import type { Decision, PolicyFile, PolicySet } from "../../src/index.js";
import type { SourcePosition } from "../../src/policy/issue.js";
import { PolicyReader } from "../../src/policy/parse.js";

/** The content of the editors. */
export interface State {
  readonly files: readonly PolicyFile[];
  readonly permissionOnly: boolean;
  /** The request as JSON text. */
  readonly request: string;
}

/** A fault in a file, or a note about it. */
export interface Problem extends SourcePosition {
  readonly severity: "error" | "warning" | "note";
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export interface Decided {
  /** The loader's messages about the policies. */
  readonly problems: readonly Problem[];
  /** Absent if the policies do not load. */
  readonly policies?: PolicySet;
  readonly asked?: Asked;
}

/** A request with its decision, or the fault of the request's text. */
export type Asked = { readonly request: PermissionRequest; readonly decision: Decision } | { readonly fault: string };

/** The results that take longer than a decision. */
export interface Account {
  readonly problems: readonly Problem[];
  readonly explanation: string;
}

export class Evaluator {
  private readonly reader = new PolicyReader();

  /** Compiles the changed files and decides. */
  decide({ files, permissionOnly, request }: State): Decided {
    // The page's content security policy forbids code from strings. Without this option one attempt would be made, and
    // the browser would report it.
    const options = { codegen: false, ...(permissionOnly ? { platform: "none" as const } : {}) };
    const compiled = compileWith(this.reader, files, options);
    if (compiled._tag === "Left") return { problems: compiled.left };
    const policies = compiled.right;
    return { problems: policies.warnings, policies, asked: ask(policies, request) };
  }

  account(state: State): Account {
    const { problems, policies, asked } = this.decide(state);
    if (policies === undefined) return { problems, explanation: "" };
    const explained = asked !== undefined && "request" in asked ? explain(policies, asked.request) : undefined;
    return {
      problems: [...problems, ...findingsOf(policies)],
      explanation: explained === undefined ? "" : explanationText(explained),
    };
  }
}

function ask(policies: PolicySet, text: string): Asked {
  try {
    const request = requestOf(JSON.parse(text));
    return { request, decision: decideAny(policies, request) };
  } catch (error) {
    // `decideAny` never throws, so the text is not JSON.
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
