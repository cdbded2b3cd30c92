/** The verdict that follows from the rows of a plan. */

import { describe, expect, test } from "vitest";
import { NO_MATCH, type Plan, type PlannedRule, type PlanRow, type PlanStep } from "../../../src/engine/plan/plan.js";
import {
  attributionOf,
  decidingRules,
  type Examiner,
  erringRules,
  rulingOf,
  steadyAttributionOf,
  walk,
} from "../../../src/engine/plan/walk.js";
import { planOf, row, rule, step } from "./parts.js";

/** A rule's name gives its result: `+` it holds, `-` it does not, `!` it errs. */
class Finder implements Examiner {
  readonly entered: string[] = [];
  readonly examined: string[] = [];

  enter({ scope }: PlanStep): void {
    this.entered.push(scope);
  }

  examine({ rule: { name } }: PlanRow): boolean | undefined {
    this.examined.push(name);
    return name.endsWith("!") ? undefined : name.endsWith("+");
  }
}

/** `A1+` is an ALLOW rule that holds, `D1!` a DENY rule that errs. */
function rowsOf(text: string, policy?: string): readonly PlanRow[] {
  const names = text.split(" ").filter((name) => name !== "");
  const made = (name: string): PlannedRule =>
    rule(name, { effect: name.startsWith("A") ? "allow" : "deny", ...(policy === undefined ? {} : { policy }) });
  return names.map((name) => row(made(name)));
}

/** Steps from the most specific scope to the root: `>` after a step means that its ALLOW needs its parents' consent. */
function stepsOf(text: string): readonly PlanStep[] {
  const parts = text.split("/");
  return parts.map((part, depth) => {
    const scope = "abc".slice(0, parts.length - 1 - depth);
    return step(rowsOf(part.replace(">", "")), { scope, depth, asksParents: part.includes(">") });
  });
}

function names(rules: Iterable<PlannedRule>): string {
  return [...rules].map(({ name }) => name).join(" ");
}

test("an examiner need not be told of the steps", () => {
  expect(rulingOf(stepsOf("A1+"), { examine: () => true }, false)?.effect).toBe("allow");
});

describe("a list of steps", () => {
  const CASES: readonly (readonly [
    steps: string,
    strict: string | undefined,
    lenient: string | undefined,
    examined: readonly [strict: string, lenient: string],
  ])[] = [
    ["", undefined, undefined, ["", ""]],
    ["A1-", undefined, undefined, ["A1-", "A1-"]],
    ["A1+", "allow A1+", "allow A1+", ["A1+", "A1+"]],
    ["A1+ A2- A3+", "allow A1+ A3+", "allow A1+ A3+", ["A1+ A2- A3+", "A1+ A2- A3+"]],
    ["D1+", "deny D1+", "deny D1+", ["D1+", "D1+"]],
    ["D1-", undefined, undefined, ["D1-", "D1-"]],
    // A denial wins at any position; strict evaluation continues after it.
    ["A1+ D1+", "deny D1+", "deny D1+", ["A1+ D1+", "A1+ D1+"]],
    ["D1+ A1+ D2+", "deny D1+ D2+", "deny D1+", ["D1+ A1+ D2+", "D1+"]],
    // Errors deny, and are reported beside denying rules. Unless everything is evaluated, the first error ends the
    // walk.
    ["A1!", "deny  !A1!", "deny  !A1!", ["A1!", "A1!"]],
    ["A1! A2+", "deny  !A1!", "deny  !A1!", ["A1! A2+", "A1!"]],
    ["D1! D2+ A1!", "deny D2+ !D1! A1!", "deny  !D1!", ["D1! D2+ A1!", "D1!"]],
    // The most specific scope with a matching rule decides.
    ["A1+/D2+", "allow A1+", "allow A1+", ["A1+", "A1+"]],
    ["A1-/D2+", "deny D2+", "deny D2+", ["A1- D2+", "A1- D2+"]],
    ["/A2+", "allow A2+", "allow A2+", ["A2+", "A2+"]],
    ["D1+/A2+", "deny D1+", "deny D1+", ["D1+", "D1+"]],
    ["A1!/A2+", "deny  !A1!", "deny  !A1!", ["A1!", "A1!"]],
    // An ALLOW that needs its parents' consent does not allow by itself; a denial denies by itself.
    ["A1+>/A2+", "allow A2+", "allow A2+", ["A1+ A2+", "A1+ A2+"]],
    ["A1+>/A2-", undefined, undefined, ["A1+ A2-", "A1+ A2-"]],
    ["A1+>/", undefined, undefined, ["A1+", "A1+"]],
    ["A1+>", undefined, undefined, ["A1+", "A1+"]],
    ["A1+ D1+>/A2+", "deny D1+", "deny D1+", ["A1+ D1+", "A1+ D1+"]],
    ["A1+>/A2->/A3+", "allow A3+", "allow A3+", ["A1+ A2- A3+", "A1+ A2- A3+"]],
    ["A1+>/A2+>/D3+", "deny D3+", "deny D3+", ["A1+ A2+ D3+", "A1+ A2+ D3+"]],
  ];

  test.each(CASES)("%j", (steps, strict, lenient, [strictly, leniently]) => {
    const [one, other] = [new Finder(), new Finder()];
    expect(ruled(steps, one, true)).toBe(strict);
    expect(ruled(steps, other, false)).toBe(lenient);
    expect([one.examined.join(" "), other.examined.join(" ")]).toEqual([strictly, leniently]);
  });

  function ruled(steps: string, finder: Finder, strict: boolean): string | undefined {
    const ruling = rulingOf(stepsOf(steps), finder, strict);
    if (ruling === undefined) return undefined;
    const [rows, erred] = [ruling.rows, ruling.erred].map((some) => names(some.map((one) => one.rule)));
    return `${ruling.effect} ${rows}${erred === "" ? "" : ` !${erred}`}`;
  }

  test("a step is entered before its rows are examined, and none after the one that decides", () => {
    const finder = new Finder();
    rulingOf(stepsOf("A1-/A2+/A3+"), finder, true);
    expect(finder.entered).toEqual(["ab", "a"]);
  });
});

describe("a plan", () => {
  /** The result of the walk: the effect, the deciding rules and the erring rules. */
  function walked(plan: Plan, strict = true): string {
    const finder = new Finder();
    const result = walk(plan, finder, strict);
    return `${result.effect}: ${names(decidingRules(result))}; ${names(erringRules(result))}; ${finder.examined.join(" ")}`;
  }

  const plan = (personal: string, ...roles: readonly string[]) =>
    planOf(roles.map(stepsOf), { personal: personal === "none" ? [] : stepsOf(personal) });

  test.each<readonly [personal: string, roles: readonly string[], strict: string, lenient: string]>([
    ["none", [], "deny: ; ; ", "deny: ; ; "],
    ["none", ["A1-"], "deny: ; ; A1-", "deny: ; ; A1-"],
    // The principal's own policies are final.
    ["A1+", ["D1+"], "allow: A1+; ; A1+", "allow: A1+; ; A1+"],
    ["D1+", ["A1+"], "deny: D1+; ; D1+", "deny: D1+; ; D1+"],
    ["A1!", ["A2+"], "deny: ; A1!; A1!", "deny: ; A1!; A1!"],
    ["A1-", ["A2+"], "allow: A2+; ; A1- A2+", "allow: A2+; ; A1- A2+"],
    ["A1+>", ["D2+"], "deny: D2+; ; A1+ D2+", "deny: D2+; ; A1+ D2+"],
    // One allowed role suffices; strict evaluation looks at all of them.
    ["none", ["A1+", "A2+"], "allow: A1+ A2+; ; A1+ A2+", "allow: A1+; ; A1+"],
    ["none", ["D1+", "A2+"], "allow: A2+; ; D1+ A2+", "allow: A2+; ; D1+ A2+"],
    ["none", ["A1+", "D2+"], "allow: A1+; ; A1+ D2+", "allow: A1+; ; A1+"],
    ["none", ["", "A2+"], "allow: A2+; ; A2+", "allow: A2+; ; A2+"],
    ["none", ["D1+", "D2+"], "deny: D1+ D2+; ; D1+ D2+", "deny: D1+ D2+; ; D1+ D2+"],
    ["none", ["D1+", "A2-"], "deny: D1+; ; D1+ A2-", "deny: D1+; ; D1+ A2-"],
    // In strict evaluation, an error in any role denies, and denying rules are reported beside it.
    ["none", ["A1!", "A2+"], "deny: ; A1!; A1! A2+", "deny: ; A1!; A1!"],
    ["none", ["A1+", "A2!"], "deny: ; A2!; A1+ A2!", "allow: A1+; ; A1+"],
    ["none", ["D1+", "A2!"], "deny: D1+; A2!; D1+ A2!", "deny: D1+; A2!; D1+ A2!"],
  ])("%s, then %j", (personal, roles, strict, lenient) => {
    expect(walked(plan(personal, ...roles))).toBe(strict);
    expect(walked(plan(personal, ...roles), false)).toBe(lenient);
  });

  test("about which there is no policy is denied, whatever stands in it", () => {
    const unknown = { ...plan("A1+", "A2+"), isKnown: false };
    expect(walked(unknown)).toBe("deny: ; ; ");
    expect(attributionOf(walk(unknown, new Finder(), true), unknown)).toEqual({ policy: NO_MATCH, scope: "" });
  });

  describe("is attributed", () => {
    function attributed(which: Plan, strict: boolean) {
      const result = walk(which, new Finder(), strict);
      return strict ? steadyAttributionOf(result, which) : attributionOf(result, which);
    }

    test.each<readonly [personal: string, roles: readonly string[], policy: string, scope: string]>([
      ["none", ["A1-"], "resource.doc.vdefault/acme", ""],
      ["none", ["A1+/D1+"], "resource.doc.vdefault/acme", "a"],
      ["none", ["/A1+"], "resource.doc.vdefault/acme", ""],
      ["A1+/", [], "principal.u1.vdefault", "a"],
      ["/D1+", ["A1+"], "principal.u1.vdefault", ""],
      // An error names its policy.
      ["none", ["A1!/"], "resource.doc.vdefault", "a"],
    ])("%s, then %j", (personal, roles, policy, scope) => {
      expect(attributed(plan(personal, ...roles), true)).toEqual({ policy, scope });
      expect(attributed(plan(personal, ...roles), false)).toEqual({ policy, scope });
    });

    test("to the most specific scope of those that decide, whatever the order of roles", () => {
      const [deep, high] = [stepsOf("A1+/A2+"), stepsOf("A3-/A4+")];
      const where = { policy: "resource.doc.vdefault/acme", scope: "a" };
      expect(attributed(planOf([high, deep]), true)).toEqual(where);
      expect(attributed(planOf([deep, high]), true)).toEqual(where);
      // The server names the first allowed role.
      expect(attributed(planOf([high, deep]), false)).toEqual({ ...where, scope: "" });
    });

    test("to the role policy that refuses, by name where there are two", () => {
      const refusal = (name: string) =>
        step([row(rule("D+", { kind: "role", effect: "deny", policy: `role.${name}.vdefault` }))]);
      const [a, b] = [[refusal("a")], [refusal("b")]];
      expect(attributed(planOf([b, a]), true).policy).toBe("role.a.vdefault");
      expect(attributed(planOf([a, b]), true).policy).toBe("role.a.vdefault");
      expect(attributed(planOf([b, a]), false).policy).toBe("role.b.vdefault");
    });
  });
});
