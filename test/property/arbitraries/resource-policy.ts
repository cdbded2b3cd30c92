/** Generates a resource policy. */

import fc from "fast-check";
import type { Named, PolicyDocument, ResourcePolicyDocument, ScopePermissions } from "../../reference/documents.js";
import type { Context } from "./context.js";
import { definitionsFor, locals } from "./definitions.js";
import { finished, granted, rule, supported } from "./rules.js";
import { API_VERSION, PREFIX, VERSION } from "./vocabulary.js";

/** The parts of a layer that its policies can use. */
export interface LayerParts {
  readonly context: Context;
  /** Derived roles that rules may list. */
  readonly roleNames: readonly string[];
  /** Variables that policies may import. */
  readonly exported: Named<string>;
}

/** The place of a policy; the root by default. */
export interface Head {
  readonly scope?: string;
  readonly scopePermissions?: ScopePermissions;
}

/** Policies of a scope mostly have few rules, so that the scopes above often decide. */
export function resourcePolicy({
  context,
  resource,
  roleNames,
  exported,
  head = {},
}: LayerParts & { readonly resource: string; readonly head?: Head }): fc.Arbitrary<PolicyDocument> {
  const { layer } = context;
  const broad = layer === "platform" ? supported(context) : granted(context);
  const isScoped = head.scope !== undefined;
  const first = isScoped ? fc.oneof(broad, fc.constant(undefined)) : broad;
  const rules = fc.array(rule(context, roleNames), { maxLength: isScoped ? 3 : layer === "platform" ? 4 : 5 });
  return fc.tuple(first, rules, fc.nat({ max: 5 }), locals(context)).map(([start, rest, at, own]): PolicyDocument => {
    const unnamed =
      start === undefined || rest.length === 0 ? [start ?? rest[0]] : [...rest.slice(0, at), start, ...rest.slice(at)];
    const finishedRules = unnamed.flatMap((one, i) => (one === undefined ? [] : [finished(layer, one, i)]));
    const uses = finishedRules.some((one) => one.derivedRoles !== undefined);
    const made: ResourcePolicyDocument = {
      resource,
      version: VERSION[layer],
      ...head,
      ...(uses ? { importDerivedRoles: [`${PREFIX[layer]}_roles`] } : {}),
      ...definitionsFor(layer, finishedRules, own, exported),
      rules: finishedRules,
    };
    return { apiVersion: API_VERSION, resourcePolicy: made };
  });
}
