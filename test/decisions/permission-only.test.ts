/** Sets without a platform layer: nothing is forbidden, no account is read, and the decision says so. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { explain, searchDecisionChanges } from "../../src/audit/index.js";
import { EmbeddedClient, remoteDecider } from "../../src/cerbos/index.js";
import { decideAny } from "../../src/decisions/decide.js";
import { compileCheckEngine } from "../../src/engine/evaluate/compile-check-engine.js";
import {
  compilePolicies,
  decide,
  decideAll,
  errorBody,
  type PermissionRequest,
  type PermissionSet,
  type PolicyFile,
  type PolicySet,
  requestIssues,
} from "../../src/index.js";
import { requestOf } from "../../src/space/draft.js";
import { accountSwap, failClosed, keySwap, order, requests } from "../../src/testing/index.js";
import { GLOBALS, type PlainRequest, policySet, request, toFiles } from "../property/arbitraries/index.js";
import { permissions, policy, supportAll, when } from "../support/compose.js";
import { hostileKey } from "../support/hostile.js";
import { compiledDocuments } from "../support/policies.js";
import "../support/seed.js";
import { pack } from "../../src/bundle/pack.js";
import { unpack } from "../../src/bundle/unpack.js";
import { CLOSURES_ONLY } from "../../src/engine/evaluate/full-equipment.js";

function permissionSet(
  files: readonly PolicyFile[],
  more: { readonly permissionVersion?: string } = {},
): PermissionSet {
  const loaded = compilePolicies(files, { platform: "none", globals: GLOBALS, ...more });
  if (loaded._tag === "Left") throw new Error(JSON.stringify(loaded.left));
  return loaded.right;
}

const READER = `name: read, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when("R.attr.open == true")}`;
const FILES = [{ path: "doc.yaml", text: policy({ rules: [READER] }) }];
const SET = permissionSet(FILES);

const read = (open: boolean): PermissionRequest => ({
  key: { id: "ann", roles: ["user"] },
  operation: "read",
  resource: { kind: "doc", id: "d1", attr: { open } },
});

const NOT_ASKED = {
  asked: false,
  effect: "allow",
  policy: "NO_MATCH",
  scope: "",
  reasons: [{ kind: "default", reason: "not_asked", rule: "", policy: "" }],
  errors: [],
  outputs: [],
  derivedRoles: [],
};

describe("a decision by a permission-only set", () => {
  test("is what the permission layer says, and says that no platform layer was asked", () => {
    const decisions = decideAll(SET, { key: { id: "ann", roles: ["user"] }, operation: "read" }, [
      { kind: "doc", id: "d1", attr: { open: true } },
      { kind: "doc", id: "d2", attr: { open: false } },
      { kind: "page", id: "p1" },
    ]);
    expect(decisions.map(({ outcome }) => outcome)).toEqual([
      "allow",
      "insufficient_permissions",
      "insufficient_permissions",
    ]);
    for (const { platform } of decisions) expect(platform).toEqual(NOT_ASKED);
  });

  test("refuses as insufficient_permissions, also what is no request", () => {
    const decision = decide(SET, Object.assign(read(true), { key: undefined }));
    expect(decision.outcome).toBe("insufficient_permissions");
    expect(decision.permission.reasons).toMatchObject([{ reason: "invalid_request" }]);
    const body = errorBody(decision, { requestId: "req_1", docsUrl: "docs.example.com" });
    expect(body?.error.type).toMatch(/insufficient_permissions$/);
  });

  test("cannot be changed by whoever is given it", () => {
    const { platform } = decide(SET, read(true));
    expect(Object.isFrozen(platform)).toBe(true);
    expect(Object.isFrozen(platform.reasons)).toBe(true);
    expect(Object.isFrozen(platform.reasons[0])).toBe(true);
  });

  test("a set with a platform layer says nothing of the kind, and needs the account", () => {
    const set = permissions({ "doc.yaml": policy({ rules: [READER] }) });
    // @ts-expect-error -- such a set is not asked without an account; where types are passed over, it denies
    const { outcome, platform } = decide(set, read(true));
    expect([outcome, platform.reasons[0]?.reason]).toEqual(["forbidden", "invalid_request"]);
    expect(platform).not.toHaveProperty("asked");
  });
});

describe("on generated policies of the whole language", { tags: "long" }, () => {
  const counts = { allow: 0, insufficient_permissions: 0, forbidden: 0 };
  const cases = policySet({ profile: "whole" }).chain((documents) =>
    fc.record({
      documents: fc.constant(documents),
      asked: fc.array(request(documents), { minLength: 8, maxLength: 8 }),
      hostile: fc.array(hostileKey, { minLength: 2, maxLength: 2 }),
    }),
  );

  test("the permission verdict is that of the same set with its platform layer, and nothing is forbidden", () => {
    fc.assert(
      fc.property(cases, ({ documents, asked, hostile }) => {
        const layered = compiledDocuments(documents);
        const alone = permissionSet(toFiles(documents));
        for (const one of asked) {
          const both = decide(layered, one);
          const { account: _, ...rest } = one;
          const made = decide(alone, rest);
          counts[made.outcome]++;
          expect(made.permission).toEqual(both.permission);
          expect(made.platform).toEqual(NOT_ASKED);
          expect(made.outcome).toBe(both.permission.effect === "allow" ? "allow" : "insufficient_permissions");
          expect(decide(alone, one)).toEqual(made);
          for (const key of hostile) {
            expect(decideAny(alone, Object.assign({ ...rest }, { key: key() })).outcome).not.toBe("forbidden");
          }
        }
      }),
      { numRuns: 15 },
    );
    expect(Math.min(counts.allow, counts.insufficient_permissions)).toBeGreaterThan(20);
  });
});

describe("everything that reads policies", () => {
  test("explain: the same decision, and what would change it", () => {
    const explained = explain(SET, read(false));
    expect(explained).toMatchObject({
      outcome: "insufficient_permissions",
      platform: { version: "", verdict: NOT_ASKED, effect: "allow", policies: [], roles: [] },
    });
    expect(explained.alternatives?.found.map(({ edits, outcome }) => [edits[0]?.path, outcome])).toEqual([
      ["resource.attr.open", "allow"],
    ]);
  });

  test("diff: changes are shown by requests without an account, which replay", () => {
    const after = permissionSet([{ path: "doc.yaml", text: policy({ rules: [READER.replace("== true", "!= 3")] }) }]);
    const { changes } = searchDecisionChanges(SET, after);
    expect(changes.map((change) => change.class)).toContain("widening");
    for (const { request: shown, from, to } of changes) {
      expect(shown).not.toHaveProperty("account");
      expect([decide(SET, requestOf(shown)).outcome, decide(after, requestOf(shown)).outcome]).toEqual([from, to]);
    }
    expect(searchDecisionChanges(SET, permissionSet(FILES)).changes).toEqual([]);
  });

  test("diff: a platform layer that is taken away widens, where it supported nothing", () => {
    const layered = permissions({
      "doc.yaml": policy({ rules: [READER] }),
      "page.yaml": policy({ resource: "page", rules: [READER] }),
    });
    const alone = permissionSet([...FILES, { path: "page.yaml", text: policy({ resource: "page", rules: [READER] }) }]);
    const { changes } = searchDecisionChanges(layered, alone);
    expect(changes.filter(({ class: kind, malformed }) => kind === "widening" && !malformed)).toMatchObject([
      { kind: "page", operation: "read", layer: "platform", from: "forbidden", to: "allow" },
    ]);
  });

  test("the page of a review decides the same", () => {
    const unpacked = unpack(pack(SET), CLOSURES_ONLY);
    for (const open of [true, false]) expect(decideAny(unpacked, read(open))).toEqual(decide(SET, read(open)));
  });

  test("laws", () => {
    const anything: PolicySet = SET;
    fc.assert(keySwap(anything), { numRuns: 50 });
    fc.assert(accountSwap(anything), { numRuns: 50 });
    fc.assert(failClosed(anything), { numRuns: 50 });
    fc.assert(order(FILES, { compile: { platform: "none" } }), { numRuns: 10 });
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(requests(anything), (one: PlainRequest) => void outcomes.add(decide(anything, one).outcome)),
      { numRuns: 100 },
    );
    expect([...outcomes].sort()).toEqual(["allow", "insufficient_permissions"]);
  });

  test("a remote decider asks for the permission layer alone", async () => {
    const engine = compileCheckEngine(FILES);
    if (engine._tag === "Left") throw new Error("the policies do not load");
    const versions: unknown[] = [];
    const client = new EmbeddedClient(engine.right, {
      onDecision: ({ principal }) => void versions.push(principal?.policyVersion),
    });
    const decideRemotely = remoteDecider(client, SET);
    for (const open of [true, false]) {
      expect(await decideRemotely(read(open))()).toEqual({ _tag: "Right", right: decide(SET, read(open)) });
    }
    expect(await decideRemotely(Object.assign(read(true), { operation: 3 }))()).toMatchObject({
      right: { outcome: "insufficient_permissions", platform: NOT_ASKED },
    });
    expect(versions).toEqual(["default", "default"]);
  });
});

describe("what is asked for", () => {
  test("one version of several: the others are not meant for decisions", () => {
    const old = policy({ version: "v1", rules: ["actions: ['*'], roles: [user], effect: EFFECT_ALLOW"] });
    const files = [...FILES, { path: "old.yaml", text: old }];
    expect(decide(permissionSet(files), read(false)).outcome).toBe("insufficient_permissions");
    expect(decide(permissionSet(files, { permissionVersion: "v1" }), read(false)).outcome).toBe("allow");
  });

  test("platform policies that are left aside are a warning, at the first of them", () => {
    const warnings = (files: readonly PolicyFile[], permissionVersion = "default") =>
      permissionSet(files, { permissionVersion }).warnings.map(({ file, code, severity }) => [file, code, severity]);
    const layered = [...FILES, ...supportAll("doc", "page")];
    expect(warnings(layered)).toEqual([["platform/doc.yaml", "platform_not_asked", "warning"]]);
    expect(warnings(layered, "platform")).toEqual([]);
    expect(warnings(FILES)).toEqual([]);
  });

  test("a version that no policy has is an issue", () => {
    const loaded = compilePolicies(FILES, { platform: "none", permissionVersion: "v2" });
    expect(loaded).toMatchObject({
      left: [
        {
          code: "no_permission_policies",
          message: "the policies are all of version default, none of version v2",
          hint: '--permission-version default; in programs, permissionVersion: "default"',
        },
      ],
    });
  });

  test("a version that only role policies have is a warning, if the resource policies have another", () => {
    const role = (version: string): PolicyFile => ({
      path: "clerk.yaml",
      text: `apiVersion: api.cerbos.dev/v1\nrolePolicy: {role: clerk, version: ${version}, rules: [{resource: doc, allowActions: [read]}]}\n`,
    });
    const own = policy({ version: "v2", rules: ["actions: ['*'], roles: [user], effect: EFFECT_ALLOW"] });
    const newer = { path: "doc.yaml", text: own };
    const warnings = (files: readonly PolicyFile[], permissionVersion: string) =>
      permissionSet(files, { permissionVersion }).warnings;
    expect(warnings([newer, role("default")], "default")).toMatchObject([
      {
        ...{ file: "clerk.yaml", line: 2, severity: "warning", code: "no_permission_policies" },
        message:
          "only role policies are of version default, so every request is denied: the resource policies are of version v2",
        hint: '--permission-version v2; in programs, permissionVersion: "v2"',
      },
    ]);
    expect(warnings([newer, role("default")], "v2")).toEqual([]);
    expect(warnings([newer, role("v2")], "v2")).toEqual([]);
    expect(warnings([role("default")], "default")).toEqual([]);
  });

  test("options that contradict each other are a mistake of the program", () => {
    const options: object = { platform: "none", platformVersion: "rules" };
    expect(() => compilePolicies(FILES, options)).toThrow('platformVersion makes no sense beside platform: "none"');
    const unknown: object = { platform: "platform" };
    expect(() => compilePolicies(FILES, unknown)).toThrow('platform must be "none", { unlisted');
  });

  test("requestIssues asks for an account unless the set is permission-only, and looks at one that is given", () => {
    const issues = (value: object, permissionOnly: boolean) =>
      requestIssues(value, { permissionOnly }).map(({ path }) => path);
    expect(issues(read(true), false)).toEqual(["account"]);
    expect(issues(read(true), true)).toEqual([]);
    expect(issues({ ...read(true), account: undefined }, true)).toEqual([]);
    expect(issues({ ...read(true), account: { id: 3 } }, true)).toEqual(["account.id"]);
    const hostile = {
      ...read(true),
      get account() {
        throw new Error("no");
      },
    };
    expect(issues(hostile, true)).toEqual([""]);
  });
});
