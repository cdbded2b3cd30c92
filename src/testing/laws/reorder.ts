/** Shuffles the unordered parts of policy documents. */

import { isList, isObject, type JsonObject, type JsonValue } from "../../cel/json.js";
import { generatedActionName, generatedRuleName } from "../../policy/names.js";
import type { SeededChoices } from "./choices.js";

/**
 * A policy document with shuffled rules, actions, roles, derived roles and imports. Unnamed rules get the names that
 * their place generates, so that these names stay the same. Parts with a meaningful order are kept: `all`, `any` and
 * `none` lists, which short-circuit, and the contents of expressions.
 */
export function reorderedDocument(document: JsonValue, choices: SeededChoices): JsonValue {
  if (!isObject(document)) return document;
  return mapped(document, {
    resourcePolicy: (policy) =>
      mapped(policy, {
        importDerivedRoles: (names) => shuffled(names, choices),
        variables: (variables) => mapped(variables, { import: (names) => shuffled(names, choices) }),
        constants: (constants) => mapped(constants, { import: (names) => shuffled(names, choices) }),
        rules: (rules) =>
          shuffled(
            each(rules, (rule, i) => reorderedRule(rule, generatedRuleName(i), choices)),
            choices,
          ),
      }),
    principalPolicy: (policy) =>
      mapped(policy, {
        rules: (rules) =>
          shuffled(
            each(rules, (rule) => reorderedActions(rule, choices)),
            choices,
          ),
      }),
    rolePolicy: (policy) =>
      mapped(policy, {
        parentRoles: (names) => shuffled(names, choices),
        rules: (rules) =>
          shuffled(
            each(rules, (rule) => mapped(rule, { allowActions: (names) => shuffled(names, choices) })),
            choices,
          ),
      }),
    derivedRoles: (set) =>
      mapped(set, {
        definitions: (roles) =>
          shuffled(
            each(roles, (role) => mapped(role, { parentRoles: (names) => shuffled(names, choices) })),
            choices,
          ),
      }),
  });
}

function reorderedRule(rule: JsonValue, name: string, choices: SeededChoices): JsonValue {
  const lists = { actions: shuffle(choices), roles: shuffle(choices), derivedRoles: shuffle(choices) };
  return mapped(named(rule, name), lists);
}

/** Shuffles the actions of a principal policy's rule for a resource. */
function reorderedActions(rule: JsonValue, choices: SeededChoices): JsonValue {
  const resource = isObject(rule) && typeof rule.resource === "string" ? rule.resource : "";
  return mapped(rule, {
    actions: (actions) =>
      shuffled(
        each(actions, (action, i) => named(action, generatedActionName(resource, i))),
        choices,
      ),
  });
}

function named(rule: JsonValue, name: string): JsonValue {
  if (!isObject(rule) || (typeof rule.name === "string" && rule.name !== "")) return rule;
  // A generated name may be one that cannot be written in a policy.
  return /^[a-zA-Z][\w@.-]*$/.test(name) ? { ...rule, name } : rule;
}

/** A map with the given changes applied to those of its fields that are present. */
function mapped(value: JsonValue, changes: { readonly [field: string]: (value: JsonValue) => JsonValue }): JsonValue {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, JsonValue] => {
    const change = Object.hasOwn(changes, name) ? changes[name] : undefined;
    return [name, change === undefined ? inner : change(inner)];
  });
  const map: JsonObject = Object.fromEntries(entries);
  return map;
}

function each(value: JsonValue, change: (item: JsonValue, index: number) => JsonValue): JsonValue {
  return isList(value) ? value.map(change) : value;
}

function shuffled(value: JsonValue, choices: SeededChoices): JsonValue {
  return isList(value) ? choices.shuffled(value) : value;
}

function shuffle(choices: SeededChoices): (value: JsonValue) => JsonValue {
  return (value) => shuffled(value, choices);
}
