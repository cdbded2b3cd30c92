/** A policy with one action for each expression of `expressions.json`, and plan questions for the residuals. */

import type { JsonObject } from "../differential/json.js";
import EXTRA from "../engine/language/extra.json" with { type: "json" };
import EXPRESSIONS from "./expressions.json" with { type: "json" };

/** Expressions planned without any known attribute of the resource. For `corners` only these plans are recorded. */
const PLAIN = [...EXPRESSIONS.plain, ...EXTRA, ...EXPRESSIONS.corners];

/** After the plain expressions come those planned with some known attributes. */
const ALL = [...PLAIN, ...EXPRESSIONS.known, ...EXPRESSIONS.knownCorners];

export const POLICY = {
  apiVersion: "api.cerbos.dev/v1",
  resourcePolicy: {
    resource: "doc",
    version: "default",
    constants: { local: { cc: "red", cn: 1 } },
    variables: {
      local: {
        vx: "R.attr.x.a",
        vy: "R.attr.y",
        vz: "V.vy == 1",
        vbad: "P.attr.nope",
        vt: "true",
        vf: "false",
        vo: "1",
      },
    },
    rules: ALL.map((expr, i) => ({
      actions: [`a${i}`],
      effect: "EFFECT_ALLOW",
      roles: ["user"],
      condition: { match: { expr } },
    })),
  },
};

export const GLOBALS = { limit: 3, environment: "test" };

const principal = {
  id: "u1",
  roles: ["user"],
  attr: { team: "red", rank: 2, groups: ["red", "green"], profile: { k: "x", n: 2 }, none: [], no: {} },
};
const attr = { x: { a: 1, k: "n" }, s: "red", n: 2, l: ["red", "blue"], nul: null };

/** PlanResources requests by expression. */
export const QUESTIONS: ReadonlyMap<string, JsonObject> = new Map(
  ALL.map((expr, i) => {
    const isPlain = i < PLAIN.length;
    const resource = { kind: "doc", ...(isPlain ? {} : { attr }) };
    return [`${expr}${isPlain ? "" : " (some is known)"}`, { actions: [`a${i}`], principal, resource }];
  }),
);
