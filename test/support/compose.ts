/** Writes policy files in a few words. */

import type { CompileOptions, PolicyFile, PolicySet } from "../../src/index.js";
import { compiled } from "./policies.js";

export function indented(text: string, by: number): string {
  return text.replace(/^(?=.)/gm, " ".repeat(by));
}

export interface PolicyParts {
  readonly resource?: string;
  readonly version?: string;
  /** More fields of the policy: imports, variables, constants. */
  readonly body?: string;
  /** Rules, each a flow mapping without its braces: `name: a, actions: [read], …`. */
  readonly rules: readonly string[];
}

/** A resource policy; without a body, the first rule is in line 6. */
export function policy({ resource = "doc", version = "default", body = "", rules }: PolicyParts): string {
  return `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: ${resource}
  version: ${version}
${body === "" ? "" : `${indented(body, 2)}\n`}  rules:
${rules.map((rule) => `    - {${rule}}\n`).join("")}`;
}

/** A rule's condition, as a part of a flow mapping. */
export function when(expr: string): string {
  return `condition: {match: {expr: ${JSON.stringify(expr)}}}`;
}

/** A platform layer that supports everything for each of the given kinds. */
export function supportAll(...resources: readonly string[]): PolicyFile[] {
  return resources.map((resource) => ({
    path: `platform/${resource.replaceAll(/\W/g, "_")}.yaml`,
    text: policy({
      resource,
      version: "platform",
      rules: ['name: supported, actions: ["*"], roles: [account], effect: EFFECT_ALLOW'],
    }),
  }));
}

/** A policy set of the given permission policies, by path, and a platform layer that forbids nothing for the kind `doc`. */
export function permissions(files: { readonly [path: string]: string }, options?: CompileOptions): PolicySet {
  return compiled([...supportAll("doc"), ...Object.entries(files).map(([path, text]) => ({ path, text }))], options);
}
