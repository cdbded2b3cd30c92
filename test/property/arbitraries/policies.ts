/** Whole policy sets: both layers, with derived roles, variables, constants, outputs and files that must not count. */

import fc from "fast-check";
import type { JsonValue } from "../../../src/policy/model.js";
import type {
  Definitions,
  DerivedRoleDocument,
  Match,
  Named,
  PolicyDocument,
  PolicyDocuments,
  RuleDocument,
} from "../../reference/documents.js";
import { CONSTANTS, type Context, condition, outputText, type Profile, reading, VARIABLES } from "./expressions.js";
import { ACTION_PATTERNS, IDS, KINDS, type Layer, NUMBERS, OPERATIONS, ROLES, VERSION, WORDS } from "./vocabulary.js";

export interface PolicySetOptions {
  /** What expressions may do; default `any`. */
  readonly profile?: Profile;
}

const API_VERSION = "api.cerbos.dev/v1";
const PREFIX = { permission: "perm", platform: "plat" } as const;

/** Policy files of both layers, as documents. */
export function policySet({ profile = "any" }: PolicySetOptions = {}): fc.Arbitrary<PolicyDocuments> {
  return fc
    .subarray([...KINDS], { minLength: 1 })
    .chain((kinds) =>
      fc.tuple(
        layerDocuments("permission", profile, kinds),
        layerDocuments("platform", profile, kinds),
        fc.array(bystander(profile), { maxLength: 2 }),
      ),
    )
    .map(([permission, platform, bystanders]) => [...permission, ...platform, ...bystanders.map(withOwnKind)]);
}

/** A disabled policy, or one of another version, for a kind that has real ones: it must change nothing. */
function bystander(profile: Profile): fc.Arbitrary<PolicyDocument> {
  return fc
    .tuple(fc.constantFrom<Layer>("permission", "platform"), fc.constantFrom(...KINDS), fc.boolean())
    .chain(([layer, kind, disabled]) =>
      fc.array(rule({ layer, profile, place: "rule" }, []), { minLength: 1, maxLength: 2 }).map((rules) => ({
        apiVersion: API_VERSION,
        ...(disabled ? { disabled } : {}),
        resourcePolicy: { resource: kind, version: disabled ? VERSION[layer] : "legacy", rules: named(rules, layer) },
      })),
    )
    .map(({ apiVersion, resourcePolicy, ...rest }) => ({
      apiVersion,
      ...rest,
      resourcePolicy: { ...resourcePolicy, rules: resourcePolicy.rules.filter((r) => !/\b([VC]|variables|constants)\./.test(JSON.stringify(r))) },
    }));
}
