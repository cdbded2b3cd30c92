/** Short forms for tests of policy files. */

import { isLeft } from "fp-ts/lib/Either.js";
import type { PolicyIssue } from "../../src/policy/issue.js";
import type { PolicyModel } from "../../src/policy/model.js";
import { parsePolicyFiles } from "../../src/policy/parse.js";

/** Texts by path; a single text is the file `a.yaml`. */
export type Files = string | { readonly [path: string]: string };

function load(files: Files): ReturnType<typeof parsePolicyFiles> {
  const named = typeof files === "string" ? { "a.yaml": files } : files;
  return parsePolicyFiles(Object.entries(named).map(([path, text]) => ({ path, text })));
}

/** Every issue, warnings included, as `file:line:column code message (hint)`. */
export function issuesOf(files: Files): readonly string[] {
  const loaded = load(files);
  return (isLeft(loaded) ? loaded.left : loaded.right.warnings).map(show);
}

/** `file:line:column code`, without the words. */
export function placesOf(files: Files): readonly string[] {
  return issuesOf(files).map((issue) => issue.split(" ").slice(0, 2).join(" "));
}

export function modelOf(files: Files): PolicyModel {
  const loaded = load(files);
  if (isLeft(loaded)) throw new Error(loaded.left.map(show).join("\n"));
  return loaded.right;
}

export function show(issue: PolicyIssue): string {
  const { file, line, column, code, message, hint } = issue;
  return `${file}:${line}:${column} ${code} ${message}${hint === undefined ? "" : ` (${hint})`}`;
}

/** A resource policy with these lines in its body and in its one rule. */
export function resourcePolicy(body: string, rule = "", name = "doc"): string {
  return `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: ${name}
  version: default
${indented(body, 2)}  rules:
    - actions: ["view"]
      effect: EFFECT_ALLOW
      roles: ["user"]
${indented(rule, 6)}`;
}

function indented(text: string, by: number): string {
  if (text === "") return "";
  return `${text
    .split("\n")
    .map((line) => `${" ".repeat(by)}${line}`)
    .join("\n")}\n`;
}

/** A principal policy with these lines in its body. */
export function principalPolicy(body: string, principal = "bob"): string {
  return `apiVersion: api.cerbos.dev/v1\nprincipalPolicy:\n  principal: ${principal}\n  version: default\n${indented(body, 2)}`;
}

/** A role policy with these lines in its body. */
export function rolePolicy(body: string, role = "clerk"): string {
  return `apiVersion: api.cerbos.dev/v1\nrolePolicy:\n  role: ${role}\n${indented(body, 2)}`;
}

/** Derived roles or exports with these lines in their body. */
export function set(kind: string, name: string, body: string): string {
  return `apiVersion: api.cerbos.dev/v1\n${kind}:\n  name: ${name}\n${indented(body, 2)}`;
}
