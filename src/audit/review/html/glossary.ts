/** The terms of the page, each explained once, in sentences of at most 25 words. */

import { type Html, html } from "./html.js";

/** The terms that a page without a platform layer does not use. */
const OF_PLATFORM: ReadonlySet<string> = new Set(["account", "forbidden", "platform", "supported", "reason"]);

const GLOSSARY = {
  account: "The customer who owns a resource. The platform layer reads it.",
  always: "Every request of such a key is allowed.",
  "always, unless data is missing":
    "Every request of such a key is allowed, unless a condition has no value, because data is missing or wrong.",
  "any key": "Rules for every key, of any role, that ask for no permission. Their conditions still have to hold.",
  "by permission":
    "Rules that only a key with a permission of its own can meet. Where the cell says no, none was recognised.",
  "by role": "A key that has this role and no other.",
  claim:
    "A sentence about all decisions that somebody signs. It holds if it is proved, and is broken by a single request.",
  clause: "A number in a contract, a law or a standard. A rule names the clause that it keeps.",
  condition:
    "A statement about the request. If it has no value, because data is missing or wrong, the request is denied.",
  control:
    "A requirement of the reader's own, such as a control of SOC 2. It is tested if each rule of its clauses decides in a test.",
  coverage: "The share of the policies that the tests reach: rules that decide, conditions that are true and false.",
  finding: "A mistake or a doubt. An error is certain, a warning needs a look, and a note is worth knowing.",
  forbidden: "Refused for every key, always or under a condition. Another key does not help.",
  insufficient_permissions: "Refused for this key. Another key may be allowed.",
  key: "The API key of a caller, with its roles, its permissions and other data.",
  kind: "The sort of a resource.",
  law: "A statement that every set of policies should keep, such as “forbidden is forbidden for every key”.",
  never: "No request of such a key is allowed.",
  no: "This column adds nothing. Another one may.",
  "not checked": "No proof was asked for it. The option --prove asks for it.",
  "not proved": "Neither a proof nor a counterexample was found.",
  operation: "Something that a caller can ask of the API, such as deleting a key.",
  permission: "A text in a key that names an operation. On this page, […] stands for a part that the request fills in.",
  platform: "The layer of rules about what no key may do. Its answer is the same for every key.",
  "policy set": "All files that decide together. Its hash changes with every change in them.",
  proved: "Shown for every possible request, and not only for tested ones.",
  reason: "The word that a refused caller is told.",
  resource: "The thing that an operation acts on.",
  role: "A name in a key, such as editor. Rules allow operations to roles.",
  rule: "A line of a policy. It allows or refuses operations, to some roles, under a condition.",
  solver: "A program that proves statements about all requests, or finds a request that breaks them.",
  supported: "The platform layer does not refuse the operation.",
  "when …":
    "Allowed when the conditions of a rule hold, and refused otherwise. The rules of the kind say which these are.",
  test: "A request with an expected answer. It passed if it got this answer, and failed if not. All tests run for each page.",
} as const;

export type Term = keyof typeof GLOSSARY;

/** A word of the page with a link to its explanation. */
export function term(name: Term, text: string = name): Html {
  return html`<a class="term" href="#${anchorOf(name)}">${text}</a>`;
}

export function glossaryHtml(hasPlatform: boolean): Html {
  const terms = Object.entries(GLOSSARY).filter(([name]) => hasPlatform || !OF_PLATFORM.has(name));
  return html`<dl class="glossary">${terms.map(
    ([name, meaning]) => html`
<div><dt id="${anchorOf(name)}">${name}<dd>${meaning}</div>`,
  )}</dl>`;
}

function anchorOf(name: string): string {
  return `term-${name.replaceAll(" ", "-")}`;
}
