/** An explanation as text, for a terminal. */

import { isInvalidAttributes } from "../../engine/evaluate/attribute-schemas.js";
import type {
  ConditionTrace,
  DerivedRoleTrace,
  ExpressionTrace,
  LayerTrace,
  PolicyTrace,
  RuleTrace,
} from "../../engine/observe/types.js";
import type { LayerVerdict } from "../../engine/plan/verdict.js";
import { printable } from "../../policy/escape.js";
import type { SourcePosition } from "../../policy/issue.js";
import { policyWords } from "../policies.js";
import { type PaintText, PLAIN_TEXT } from "../style.js";
import type { RequestAlternative } from "./changes.js";
import type { RequestEdit } from "./edits.js";
import type { Explanation } from "./explain.js";
import { meaningOf } from "./meaning.js";
import { AS_WRITTEN, type Speech } from "./speech.js";

/** The lines of the explanation, each with a line break. */
export function explanationText(explanation: Explanation, paint: PaintText = PLAIN_TEXT): string {
  return new ExplanationWriter(paint, AS_WRITTEN).write(explanation);
}

/** The same text with the wording of `speech`. */
export function spokenText(explanation: Explanation, speech: Speech): string {
  return new ExplanationWriter(PLAIN_TEXT, speech).write(explanation);
}

class ExplanationWriter {
  private readonly paint: PaintText;
  private readonly speech: Speech;
  private readonly lines: string[] = [];
  /** Variables of the current policy that were already shown with their definitions. */
  private shown = new Set<number>();
  private policy: PolicyTrace | undefined;

  constructor(paint: PaintText, speech: Speech) {
    this.paint = paint;
    this.speech = speech;
  }

  write(explanation: Explanation): string {
    const { outcome, question, permission, platform, fault } = explanation;
    const isAsked = platform.verdict.asked !== false;
    const { key, operation, kind, id } = question;
    this.line(
      0,
      `${this.outcome(outcome)}: key ${named(key)}, operation ${named(operation)}, ${named(kind)} ${named(id)}`,
    );
    this.line(0, meaningOf({ outcome, platform: platform.verdict }));
    if (fault !== undefined) {
      this.line(0, this.paint("bad", printable(`But the request is malformed (${fault.kind}): ${fault.message}`)));
    }
    this.layer("Permission layer (what the key may do)", permission);
    if (isAsked) this.layer("Platform layer (what is prohibited for every key)", platform);
    this.alternatives(explanation);
    return `${this.lines.join("\n")}\n`;
  }

  private line(depth: number, text: string): void {
    this.lines.push(text === "" ? "" : "  ".repeat(depth) + text);
  }

  private outcome(outcome: Explanation["outcome"]): string {
    return this.paint(outcome === "allow" ? "good" : "bad", outcome);
  }

  private layer(title: string, { verdict, effect, policies, roles }: LayerTrace): void {
    const { paint } = this;
    this.line(0, "");
    const reasons = [...new Set(verdict.reasons.map(({ reason }) => named(reason)))].join(", ");
    const word = verdict.effect === "allow" ? paint("good", "allows") : paint("bad", "denies");
    this.line(0, `${paint("strong", title)}: ${word}, ${reasons}`);
    if (isInvalidAttributes(verdict)) this.faults(verdict);
    if (policies.length === 0) this.line(1, this.nothing(verdict.errors.map(({ message }) => message)));
    for (const policy of policies) this.policyLines(policy);
    for (const { role, includes, effect: found, scope } of roles.length > 1 ? roles : []) {
      const inherited = includes.length === 0 ? "" : ` (includes ${includes.map(named).join(", ")})`;
      const where = scope === undefined || scope === "" ? "" : `, scope ${named(scope)}`;
      this.line(
        1,
        paint("dim", `role ${named(role)}${inherited}: ${found === "none" ? "nothing granted" : found}${where}`),
      );
    }
    if (effect !== verdict.effect) {
      this.line(
        1,
        paint("warn", "Evaluation stopped early, so the steps above do not explain the verdict. The cause:"),
      );
      for (const { message } of verdict.errors) this.line(2, printable(message));
    }
  }

  /** Violations of the policies' schemas: the layer denies, even if a rule allows. */
  private faults({ errors }: LayerVerdict): void {
    this.line(1, this.paint("warn", "The rules do not count, because attributes violate the policies' schemas:"));
    for (const { message } of errors) this.line(2, printable(message));
  }

  private nothing(messages: readonly string[]): string {
    const [message] = messages;
    return message === undefined ? "no policy for this kind of resource" : printable(message);
  }

  private policyLines(policy: PolicyTrace): void {
    this.policy = policy;
    this.shown = new Set();
    this.line(1, `${printable(policyWords(policy.policy))}  ${this.place(policy.at)}`);
    for (const role of policy.derivedRoles) this.derivedRole(role);
    let skipped: RuleTrace[] = [];
    for (const rule of policy.rules) {
      if (rule.state === "other_action" || rule.state === "other_kind") {
        skipped.push(rule);
        continue;
      }
      this.skipped(skipped);
      skipped = [];
      this.rule(rule);
    }
    this.skipped(skipped);
  }

  /** Consecutive rules about something else. */
  private skipped(rules: readonly RuleTrace[]): void {
    if (rules.length === 0) return;
    const names = rules.map(({ name, actions }) => (name === "" ? actions.join(", ") : name));
    this.line(2, this.paint("dim", `- ${names.map(named).join(", ")}: for other operations`));
  }

  private derivedRole({ name, state, matched, parentRoles, condition, at }: DerivedRoleTrace): void {
    if (state === "not_evaluated") return;
    const look = state === "active" ? "good" : state === "error" ? "warn" : "dim";
    const why =
      matched.length === 0 ? `; the key has none of its parent roles ${parentRoles.map(named).join(", ")}` : "";
    this.line(2, `derived role ${named(name)}: ${this.paint(look, state)}${why}  ${this.place(at)}`);
    if (condition !== undefined && matched.length > 0) this.condition(condition, 3);
  }

  private rule(rule: RuleTrace): void {
    const { paint } = this;
    const { name, effect, state, matched, decided, at, condition, vetoes } = rule;
    const kind = effect === "restrict" ? "restricts" : effect === "deny" ? "denies" : "allows";
    const title = `- ${paint("strong", named(name === "" ? rule.actions.join(", ") : name))} (${kind}${vetoes ? " unless its condition holds" : ""})`;
    if (state === "other_role" || state === "not_reached") {
      const listed = [...rule.roles, ...rule.derivedRoles].map(named).join(", ");
      this.line(2, paint("dim", `- ${named(name)} (${kind}): for other roles: ${listed}`));
      return;
    }
    const bad = (state === "met") === (effect === "deny");
    const word = { met: "applies", unmet: "does not apply", error: "cannot be evaluated, which denies" }[
      state === "met" || state === "unmet" ? state : "error"
    ];
    const look = state === "error" ? "warn" : state === "unmet" ? "dim" : bad ? "bad" : "good";
    const roles = matched.length === 0 ? "" : ` for ${matched.map(named).join(", ")}`;
    const deciding = decided ? paint("strong", "  <- decides") : "";
    this.line(2, `${title}: ${paint(look, word)}${roles}  ${this.place(at)}${deciding}`);
    if (condition !== undefined) this.condition(condition, 3);
  }

  private condition(condition: ConditionTrace, depth: number): void {
    if (condition.kind === "expr") {
      this.expression(condition.expression, depth, condition.state);
      return;
    }
    this.line(depth, `${this.state(condition.state)} ${condition.kind} of:`);
    for (const member of condition.of) this.condition(member, depth + 1);
  }

  private state(state: ExpressionTrace["state"]): string {
    const looks = { true: "good", false: "bad", error: "warn", not_evaluated: "dim", value: "dim" } as const;
    return this.paint(looks[state], this.speech.state(state));
  }

  private expression(trace: ExpressionTrace, depth: number, state: ExpressionTrace["state"] = trace.state): void {
    const isLogic = trace.logic !== undefined;
    this.line(depth, `${this.state(state)}  ${this.speech.test(trace)}${this.error(trace, isLogic)}`);
    if (trace.state === "not_evaluated") return;
    if (isLogic) {
      for (const part of trace.parts) this.expression(part, depth + 1);
      return;
    }
    this.definition(trace, depth);
    for (const part of trace.parts) this.part(part, depth + 1);
  }

  /** A part of an operation, with its value. Its own parts follow only if its text does not show them. */
  private part(trace: ExpressionTrace, depth: number): void {
    const text = this.speech.value(trace);
    if (trace.state === "not_evaluated") return;
    if (trace.state === "error") {
      this.line(depth, `${text}${this.error(trace, false)}`);
      for (const part of trace.parts) this.part(part, depth + 1);
    } else {
      this.line(depth, `${text} ${this.paint("dim", this.speech.is)} ${printable(trace.value ?? "")}`);
    }
    this.definition(trace, depth);
  }

  private definition(trace: ExpressionTrace, depth: number): void {
    const { variable: index } = trace;
    const variable = index === undefined ? undefined : this.policy?.variables[index];
    if (index === undefined || variable?.expression === undefined) return;
    if (this.shown.has(index)) {
      this.line(depth + 1, this.paint("dim", "(see above)"));
      return;
    }
    this.shown.add(index);
    this.expression(variable.expression, depth + 1);
  }

  private error(trace: ExpressionTrace, isLogic: boolean): string {
    const { error, missing, parts } = trace;
    if (error === undefined || isLogic) return "";
    if (missing !== undefined) return this.paint("warn", `  <- ${this.speech.missing(trace)} is missing`);
    // A part that errs shows the error itself.
    return parts.some(({ state }) => state === "error") ? "" : this.paint("warn", `  <- ${printable(error)}`);
  }

  private place({ file, line }: SourcePosition): string {
    return this.paint("dim", printable(`${file}:${line}`));
  }

  private alternatives({ outcome, alternatives }: Explanation): void {
    if (alternatives === undefined) return;
    const { found, more, isComplete } = alternatives;
    const { paint } = this;
    this.line(0, "");
    if (found.length === 0) {
      this.line(0, paint("strong", "No change to the request was found that would change the outcome."));
      if (!isComplete) this.line(0, paint("dim", NOT_ALL));
      return;
    }
    for (const next of ["allow", "insufficient_permissions", "forbidden"] as const) {
      const sets = found.filter((one) => one.outcome === next);
      if (sets.length === 0) continue;
      const one = sets.every(({ edits }) => edits.length === 1) ? " any one of" : "";
      this.line(0, `${paint("strong", `It would be ${next === "allow" ? "allowed" : next} with${one}:`)}`);
      for (const set of sets) this.alternative(set);
    }
    if (more) this.line(1, paint("dim", "… and other changes like these"));
    this.line(
      0,
      paint("dim", "(Found by trying the values that the conditions distinguish. There may be other changes.)"),
    );
    if (!isComplete) this.line(0, paint("dim", NOT_ALL));
    if (outcome === "allow") return;
    if (found.some(({ smallest }) => !smallest)) {
      this.line(
        0,
        paint("dim", '(Changes joined by "and" are all needed. There may be smaller groups: not all were tried.)'),
      );
    }
  }

  private alternative({ edits }: RequestAlternative): void {
    edits.forEach((edit, i) => {
      this.line(1, `${i === 0 ? "-" : "  and"} ${this.edit(edit)}`);
    });
  }

  private edit({ action, path, value, invented }: RequestEdit): string {
    const text = value === undefined ? "" : printable(JSON.stringify(value));
    const place = this.speech.place(path);
    switch (action) {
      case "add":
        return `${invented ? `another element, for example ${text},` : text} added to ${place}`;
      case "remove":
        return `${text} removed from ${place}`;
      case "unset":
        return `${place} left out`;
      case "set":
        return `${place} ${this.speech.is} ${invented ? `another value, for example ${text}` : text}`;
    }
  }
}

const MAX_NAME = 120;

const NOT_ALL = "(The request is large: not every single change was tried.)";

function named(name: string): string {
  const text = printable(name);
  return text.length <= MAX_NAME ? text : `${text.slice(0, MAX_NAME)}…`;
}
