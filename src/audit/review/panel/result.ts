/** The outcome of the request in the form, and its explanation. */

import { isObject, type JsonValue } from "../../../cel/json.js";
import { decideAny } from "../../../decisions/decide.js";
import type { PolicySet } from "../../../decisions/policy-set.js";
import { requestIssues } from "../../../decisions/request-issues.js";
import type { Outcome, PermissionRequest } from "../../../decisions/types.js";
import { explain } from "../../explain/explain.js";
import { meaningOf } from "../../explain/meaning.js";
import { inWords } from "../../explain/speech.js";
import { spokenText } from "../../explain/text.js";
import { element, lineOf } from "./dom.js";

/** Milliseconds before the longer explanation is made, so that it does not interrupt typing. */
const PAUSE = 200;

export class Result {
  readonly root: HTMLElement;
  private readonly policies: PolicySet;
  private readonly before: PolicySet | undefined;
  private readonly status = element("div", {
    role: "status",
    "aria-live": "polite",
    "aria-atomic": "true",
    id: "outcome",
  });
  private readonly account = element("pre", {
    tabindex: "0",
    role: "region",
    "aria-label": "Explanation",
    id: "explanation",
  });
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(policies: PolicySet, before: PolicySet | undefined) {
    this.policies = policies;
    this.before = before;
    const box = element("div", { class: "outcome" }, this.status);
    this.root = element("div", { class: "result" }, box, element("h3", {}, "Explanation"), this.account);
  }

  show(json: JsonValue): void {
    const request = requestOf(json);
    const issues = requestIssues(request, { permissionOnly: this.policies.platform === undefined });
    // A malformed request is decided too, as `decide` decides it in a service: it is denied.
    const { outcome, permission, platform } = decideAny(this.policies, request);
    const denying = outcome === "forbidden" ? platform : permission;
    const reasons = [...new Set(denying.reasons.map(({ reason }) => reason))].join(", ");
    const meaning = meaningOf({ outcome, platform });
    const why = outcome === "allow" ? meaning : `${meaning} Reason: ${reasons}.`;
    const faults = issues.map(({ path, message }) => element("p", { class: "bad" }, `${path} ${message}`));
    const earlier = this.before && decideAny(this.before, request).outcome;
    const announced = [outcome, earlier, why, ...faults.map(({ textContent }) => textContent)].join("\n");
    if (this.status.dataset.announced !== announced) {
      this.status.dataset.announced = announced;
      this.status.dataset.outcome = outcome;
      const big = element("p", { class: "big" }, "Outcome: ", looking(outcome));
      const older =
        earlier === undefined ? [] : [element("p", { id: "earlier" }, "Before the change: ", looking(earlier))];
      this.status.replaceChildren(big, ...older, element("p", {}, why), ...faults);
    }
    clearTimeout(this.timer);
    this.account.setAttribute("aria-busy", "true");
    this.timer = setTimeout(() => {
      const explanation = explain(this.policies, request);
      const text = spokenText(explanation, inWords(this.policies, explanation));
      this.account.replaceChildren(...text.trimEnd().split("\n").map(lineOf));
      this.account.removeAttribute("aria-busy");
    }, PAUSE);
  }
}

function looking(outcome: Outcome): HTMLElement {
  const look = outcome === "allow" ? "yes" : outcome === "forbidden" ? "no" : "maybe";
  return element("span", { class: look }, outcome);
}

/** `decide` accepts any value, and denies malformed requests. */
export function requestOf(json: JsonValue): PermissionRequest {
  const fields = isObject(json) ? json : {};
  const request: PermissionRequest = JSON.parse(JSON.stringify(fields));
  return typeof fields.now === "string" ? { ...request, now: new Date(fields.now) } : request;
}
