/** Counts features of generated stores and answers, because a generator of only simple cases proves nothing. */

import { isObject, type Json, type JsonObject, listAt, objectAt, textAt } from "./json.js";
import type { LocalAnswer, LocalStore } from "./local.js";
import type { GeneratedRequest } from "./requests.js";
import type { Store } from "./store.js";

/** A feature of a store: a pattern in the text of its files, or a setting. */
const STORE_FEATURES: { readonly [feature: string]: (store: Store, text: string) => boolean } = {
  scopes: (_, text) => text.includes('"scope":"acme'),
  "OVERRIDE_PARENT, written": (_, text) => text.includes("SCOPE_PERMISSIONS_OVERRIDE_PARENT"),
  REQUIRE_PARENTAL_CONSENT: (_, text) => text.includes("SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS"),
  "consent required at the root": ({ files }) => Object.values(files).some(consentAtRoot),
  "principal policies": (_, text) => text.includes('"principalPolicy"'),
  "principal policy with scope": ({ files }) =>
    Object.values(files).some((file) => textAt(objectAt(file, "principalPolicy"), "scope") !== ""),
  "principal policy with glob of resources": (_, text) => /"resource":"[^"]*\*[^"]*","actions"/.test(text),
  "role policies": (_, text) => text.includes('"rolePolicy"'),
  "parent roles of roles": (_, text) => /"rolePolicy":\{[^[]*"parentRoles"/.test(text),
  "role policy with glob of resources": (_, text) => /"resource":"[^"]*\*[^"]*","allowActions"/.test(text),
  "role policy with condition": (_, text) => /"allowActions":\[[^\]]*\],"condition"/.test(text),
  "role policy with definitions": (_, text) => /"rolePolicy":\{[^[]*("parentRoles":\[[^\]]*\],)?"variables"/.test(text),
  "role policy with output": (_, text) => /"allowActions":\[[^\]]*\][^}]*"output"/.test(text),
  "globs of roles": (_, text) => /"roles":\[[^\]]*[a-z*?\]}][*?{[\]}][^\]]*\]/.test(text),
  "derived roles": (_, text) => text.includes('"importDerivedRoles"') && /"derivedRoles":\["/.test(text),
  "imports and exports": (_, text) => text.includes('"exportVariables"') && text.includes('"import"'),
  "several versions": (_, text) => text.includes('"version":"v2"') && text.includes('"version":"default"'),
  "output when activated": (_, text) => text.includes('"ruleActivated"'),
  "output when not met": (_, text) => text.includes('"conditionNotMet"'),
  "output, old form": (_, text) => text.includes('"output":{"expr"'),
  "globs of actions": (_, text) => /"actions":\[[^\]]*\*[^\]]*\]/.test(text),
  "runtime.effectiveDerivedRoles": (_, text) => /runtime\.effective/.test(text),
  globals: (_, text) => /\b(G|globals)\./.test(text),
  "auxData.jwt": (_, text) => /request\.(auxData|aux_data)\.jwt/.test(text),
  "auxData.jwts": (_, text) => /request\.(auxData|aux_data)\.jwts/.test(text),
  "strict evaluation": ({ options }) => options.strictEvaluation,
  "name to sanitise": (_, text) => text.includes("album:object") || text.includes("a/b-c"),
  "policy without rules": ({ files }) => Object.values(files).some(withoutRules),
  "rule for any role": (_, text) => text.includes('"roles":["*"]'),
  "nested conditions": (_, text) => /"(all|any|none)":\{"of":\[[^\]]*"(all|any|none)"/.test(text),
  "schemas, none": ({ options }, text) => options.schemaEnforcement === "none" && text.includes('Schema":'),
  "schemas, warn": ({ options }, text) => options.schemaEnforcement === "warn" && text.includes('Schema":'),
  "schemas, reject": ({ options }, text) => options.schemaEnforcement === "reject" && text.includes('Schema":'),
  "schemas, ignoreWhen": (_, text) => text.includes('"ignoreWhen"'),
  "lenient scope search": ({ options }) => options.lenientScopeSearch,
  "default scope": ({ options }) => options.defaultScope !== "",
  "default version": ({ options }) => options.defaultPolicyVersion !== "default",
};

/** Features of answers, with the least share of requests in percent. */
const ANSWER_FEATURES = {
  "condition that errs": 10,
  allowed: 20,
  denied: 20,
  "decided by a principal policy": 2,
  "denied by a role policy": 2,
  "decided in a scope": 5,
  "no policy": 2,
  "derived roles active": 5,
  outputs: 10,
  "outputs compared exactly": 5,
  "validation errors": 2,
  "OVERRIDE_PARENT allows": 1,
  "OVERRIDE_PARENT denies": 1,
  "consent: an ancestor allows": 1,
  "consent: a veto": 1,
} as const;

type AnswerFeature = keyof typeof ANSWER_FEATURES;

export class Coverage {
  stores = 0;
  requests = 0;
  refusedStores = 0;
  private readonly inStores = new Map<string, number>();
  private readonly inAnswers = new Map<AnswerFeature, number>();
  private errorSamples = 0;
  private errors = 0;

  store(store: Store): void {
    this.stores++;
    const text = JSON.stringify(store.files);
    for (const [feature, has] of Object.entries(STORE_FEATURES)) {
      if (has(store, text)) this.inStores.set(feature, (this.inStores.get(feature) ?? 0) + 1);
    }
  }

  /** Both sides refuse the store, so its requests are not made. */
  refused(_requests: number): void {
    this.refusedStores++;
  }

  answer(store: Store, request: GeneratedRequest, server: JsonObject, { cuts }: LocalAnswer, local: LocalStore): void {
    // A second check finds out whether conditions err, so only a sample is checked.
    if (this.requests++ % 5 === 0) {
      this.errorSamples++;
      if (local.errs(request)) this.errors++;
    }
    const features = new Set<AnswerFeature>();
    for (const [i, result] of listAt(server, "results").filter(isObject).entries()) {
      for (const feature of resultFeatures(store, result, (cuts[i]?.size ?? 0) > 0)) features.add(feature);
    }
    for (const feature of features) this.inAnswers.set(feature, (this.inAnswers.get(feature) ?? 0) + 1);
  }

  shortfalls(): readonly string[] {
    return this.rows().flatMap(([feature, share, least]) =>
      share < least ? [`${feature}: ${share.toFixed(1)} % < ${least} %`] : [],
    );
  }

  /** Every feature, its share in percent and the least share. */
  rows(): readonly (readonly [feature: string, share: number, least: number])[] {
    const share = (count: number | undefined, total: number) => (100 * (count ?? 0)) / Math.max(1, total);
    return [
      ...Object.keys(STORE_FEATURES).map((f) => [f, share(this.inStores.get(f), this.stores), 1] as const),
      ...(Object.entries(ANSWER_FEATURES) as [AnswerFeature, number][]).map(([f, least]) =>
        f === "condition that errs"
          ? ([f, share(this.errors, this.errorSamples), least] as const)
          : ([f, share(this.inAnswers.get(f), this.requests), least] as const),
      ),
    ];
  }

  toString(): string {
    const lines = this.rows().map(
      ([f, share, least]) => `${share.toFixed(1).padStart(6)} %  ${f} (at least ${least} %)`,
    );
    return [`${this.requests} requests, ${this.stores} stores, ${this.refusedStores} refused`, ...lines].join("\n");
  }
}

function consentAtRoot(file: JsonObject): boolean {
  const policy = objectAt(file, "resourcePolicy");
  return policy.scope === undefined && textAt(policy, "scopePermissions").includes("REQUIRE");
}

function withoutRules(file: JsonObject): boolean {
  return isObject(file.resourcePolicy) && file.resourcePolicy.rules === undefined;
}

function* resultFeatures(store: Store, result: JsonObject, cut: boolean): Generator<AnswerFeature> {
  const meta = objectAt(result, "meta");
  if (listAt(meta, "effectiveDerivedRoles").length > 0) yield "derived roles active";
  const outputs = listAt(result, "outputs").length;
  if (outputs > 0) yield "outputs";
  if (outputs > 0 && !cut) yield "outputs compared exactly";
  if (listAt(result, "validationErrors").length > 0) yield "validation errors";
  const permissions = permissionsOf(store);
  for (const [action, effect] of Object.entries(objectAt(result, "actions"))) {
    const found = objectAt(objectAt(meta, "actions"), action);
    yield* actionFeatures(effect, textAt(found, "matchedPolicy"), textAt(found, "matchedScope"), permissions);
  }
}

function* actionFeatures(
  effect: Json,
  policy: string,
  scope: string,
  permissions: ReadonlyMap<string, boolean>,
): Generator<AnswerFeature> {
  const allowed = effect === "EFFECT_ALLOW";
  yield allowed ? "allowed" : "denied";
  if (policy.startsWith("principal.")) yield "decided by a principal policy";
  if (policy.startsWith("role.")) yield "denied by a role policy";
  if (policy === "NO_MATCH") yield "no policy";
  const from = policy.slice(policy.indexOf("/") + 1);
  if (policy.includes("/") && allowed && permissions.get(from) === true && scope !== from) {
    yield "consent: an ancestor allows";
  }
  if (scope === "") return;
  yield "decided in a scope";
  const consent = permissions.get(scope) === true;
  if (consent && !allowed) yield "consent: a veto";
  if (!consent) yield allowed ? "OVERRIDE_PARENT allows" : "OVERRIDE_PARENT denies";
}

/** For each scope: does it require its parents' consent? */
function permissionsOf({ files }: Store): ReadonlyMap<string, boolean> {
  const permissions = new Map<string, boolean>();
  for (const file of Object.values(files)) {
    for (const type of ["resourcePolicy", "principalPolicy"]) {
      const policy = objectAt(file, type);
      if (isObject(file[type]))
        permissions.set(textAt(policy, "scope"), textAt(policy, "scopePermissions").includes("REQUIRE"));
    }
  }
  return permissions;
}
