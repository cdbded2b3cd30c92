/** Expressions for the differential test: those of the property tests, and others that need the whole language. */

import fc from "fast-check";
import type { Context, Place } from "../property/arbitraries/context.js";
import { condition, outputText } from "../property/arbitraries/expressions.js";
import { IDS, NUMBERS, WORDS } from "../property/arbitraries/vocabulary.js";
import type { JsonObject } from "./json.js";
import type { Random } from "./random.js";

/** The place of an expression: which definitions it can read, and whether it may read `runtime`. */
export interface Site {
  readonly definitions: boolean;
  readonly runtime: boolean;
}

const PROBES: readonly string[] = [
  'G.environment == "test"',
  "G.limit + 1 == 4",
  "globals.limit > 2 && G.flags.beta",
  'G.missing == "x"',
  "G.missing == null",
  "has(G.limit)",
  "has(G.missing)",
  'request.auxData.jwt.team == "red"',
  '"audit" in request.aux_data.jwt.scopes',
  "has(request.auxData.jwt.level) && request.auxData.jwt.level > 1",
  'request.auxData.jwts["main"].claims.team == "red"',
  "has(request.auxData.jwts.main) && request.auxData.jwts.main.claims.level > 1.0",
  '"peer" in request.auxData.jwts',
  "size(request.aux_data.jwts) == 1",
  'R.scope == "acme"',
  'R.scope.startsWith("acme")',
  'P.scope == ""',
  'R.policyVersion == ""',
  'request.resource.policy_version == "v2"',
  'P.policyVersion == "default"',
  'R.kind == "album:object"',
  'R.id != "r1"',
  'P.id in ["u1", "u2"]',
  '["u1", "u3"].exists(u, u == P.id)',
  "type(R.attr.level) == double",
  'spiffeID("spiffe://acme/" + P.id).isMemberOf(spiffeTrustDomain("acme"))',
  '"10.1." + string(R.attr.level) + ".7" == "10.1.1.7"',
  '("10." + string(P.attr.rank) + ".0.1").inIPAddrRange("10.1.0.0/16")',
  '["a", "b"].map(x, x + P.id).exists(x, x == "au1")',
  "cel.bind(n, size(P.roles), n > 1 && n < 3)",
  '"%s-%d".format([P.id, size(P.roles)]) == "u1-1"',
  "math.greatest(R.attr.level, P.attr.rank) >= 2",
  "R.attr.tags.transformList(i, t, i > 0, t).size() == 1",
  'P.attr.profile.all(k, v, k != "z")',
  'R.attr.status.replace("e", "3") == "r3d"',
  'base64.encode(bytes(P.id)) == "dTE="',
  'R.attr.tags.join("-").size() > 4',
];

const RUNTIME: readonly string[] = [
  '"dr_one" in runtime.effectiveDerivedRoles',
  "size(runtime.effectiveDerivedRoles) > 0",
  'runtime.effective_derived_roles.exists(r, r.endsWith("two"))',
  "runtime.effectiveDerivedRoles == []",
];

/** Reads of a variable that errs, and of one that is null. */
const FAILED: readonly string[] = [
  "V.v_bad == null",
  "V.v_bad != 1",
  "V.v_bad == 1 || P.id == P.id",
  "has(V.v_bad)",
  "!has(variables.v_bad)",
  "has(V.v_bad.x) || has(V.v_null)",
  "has(V.v_word)",
  "V.v_word == null",
];

/** Calls with constant arguments that fail during planning, and branches that are folded before such a call is planned. */
const PLANNED: readonly string[] = [
  'P.id != "" || int("many") == 1',
  'P.id == "" ? uint(-1) == 1u : true',
  'P.id != "" || R.kind.matches(dyn("("))',
  'now() > timestamp("2000-01-01T00:00:00Z") || double("x" + "y") > 1.0',
  'now() > timestamp("2000-01-01T00:00:00Z") || double(dyn("xy")) > 1.0',
  'P.id != "" || (1 == 2 && bool("maybe"))',
  'P.id != "" || cel.bind(n, int("many"), 1) == 1',
];

const OUTPUTS: readonly string[] = [
  "R.attr.nothing || P.attr.nowhere",
  "R.attr.tags && R.attr.nothing && P.attr.nowhere",
  '["nothing", "nowhere"].exists(name, R.attr[name])',
  '["nothing", "nowhere"].filter(name, R.attr[name])',
  "9007199254740993",
  "12345678901234567890u",
  'duration("90m")',
  "bytes(P.id)",
  "type(P.id)",
  '{1: "a"}',
  'hierarchy("a.b")',
  "[1, 2.5, R.attr.missing]",
  "null",
  "G.limit",
  "P.roles",
  'timestamp("2024-01-05T10:00:00.120+02:00")',
  "request.auxData.jwt",
  "request.auxData.jwts",
  "request.auxData.jwts.main.claims",
];

/** Draws expressions from a batch that is made for one store. */
export class Expressions {
  private readonly random: Random;
  private readonly batches = new Map<string, readonly string[]>();

  constructor(random: Random) {
    this.random = random;
  }

  condition(site: Site, place: Place = site.definitions ? "rule" : "bare"): string {
    const { random } = this;
    if (site.runtime && random.chance(0.15)) return random.pick(RUNTIME);
    if (place === "rule" && random.chance(0.04)) return random.pick(FAILED);
    if (place === "rule" && random.chance(0.03)) return random.pick(PLANNED);
    if (random.chance(0.12)) return random.pick(PROBES);
    return random.pick(this.batch(`condition ${place}`, condition(context(place), 2)));
  }

  output(site: Site): string {
    const { random } = this;
    if (site.runtime && random.chance(0.1)) return "runtime.effectiveDerivedRoles";
    if (random.chance(0.15)) return random.pick(OUTPUTS);
    const place = site.definitions ? "rule" : "bare";
    return random.pick(this.batch(`output ${place}`, outputText(context(place))));
  }

  private batch(key: string, arbitrary: fc.Arbitrary<string>): readonly string[] {
    const known = this.batches.get(key);
    if (known !== undefined) return known;
    const made = fc.sample(arbitrary, { numRuns: 80, seed: this.random.seed() });
    this.batches.set(key, made);
    return made;
  }
}

function context(place: Place): Context {
  return { layer: "permission", profile: "any", place };
}

export const VARIABLE_EXPORT = "shared_vars";
export const CONSTANT_EXPORT = "shared_consts";

/** The definitions of `V.x_…`. Those of `C.k_…` follow. */
export function exportedVariables(expressions: Expressions): JsonObject {
  const flag = expressions.condition({ definitions: false, runtime: false });
  return { x_word: "R.attr.status", x_num: "P.attr.rank", x_flag: flag };
}

export function exportedConstants(random: Random): JsonObject {
  return { k_id: random.pick(IDS), k_num: random.pick(NUMBERS) };
}

/** The `variables` and `constants` of a policy whose expressions read them. */
export function definitions(random: Random, expressions: Expressions): JsonObject {
  const flag = expressions.condition({ definitions: false, runtime: false });
  return {
    variables: {
      import: [VARIABLE_EXPORT],
      local: {
        v_word: random.pick(["R.attr.label", "P.attr.team", "V.x_word"]),
        v_num: random.pick(["R.attr.size", "R.attr.level + 1.0", "C.c_num", "V.x_num", "G.limit"]),
        v_words: random.pick(["R.attr.tags", "P.attr.groups", '["red"]']),
        v_flag: random.chance(0.3) ? "V.x_flag" : flag,
        v_bad: random.pick(["R.attr.nothing", "1 / size(P.id.substring(0, 0)) == 1", "R.attr.status > 1"]),
        v_null: random.pick(["null", "V.v_bad"]),
      },
    },
    constants: {
      import: [CONSTANT_EXPORT],
      local: { c_word: random.pick(WORDS), c_num: random.pick(NUMBERS), c_words: random.some(WORDS, 1, 2) },
    },
  };
}
