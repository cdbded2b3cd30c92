/**
 * The module that `keyward types` writes: the names that a policy set knows, as the type argument of `PolicySet`, and the
 * attributes that each operation reads.
 */

import type { PolicySet } from "../../decisions/policy-set.js";
import { alternativesOf, isEverything } from "../../policy/glob.js";
import { grouped } from "../../policy/groups.js";
import { type AttributeNames, attributesOfOperations, type OperationAttributes } from "../operations/reads.js";
import { AttributeTypes } from "./attributes.js";
import {
  declaration,
  intersectionOf,
  literalType,
  type Member,
  type Type,
  text,
  textsType,
  UNKNOWN,
  unionOf,
} from "./typescript.js";
import {
  type KindNames,
  type LayerReasons,
  type NamesAndPatterns,
  type RoleNames,
  type SchemaRefs,
  vocabularyOf,
} from "./vocabulary.js";

const HEAD = `// Written by \`keyward types\` from policies. Do not edit it: change the policies, and write it again.
`;

/** The text of the module. It does not depend on the order of files and rules. */
export function typesModule(policies: PolicySet): string {
  const { roles, kinds, permission, platform } = vocabularyOf(policies);
  const attributes = new AttributeTypes(policies.model.schemas);
  const members: readonly Member[] = [
    ...(platform === undefined ? [{ name: "platform", type: literalType("none") }] : []),
    { name: "roles", type: rolesType(roles) },
    { name: "kinds", type: kindsType(kinds, attributes) },
    {
      name: "reasons",
      type: objectType([
        { name: "permission", type: reasonsType(permission) },
        { name: "platform", type: reasonsType(platform ?? NOT_ASKED) },
      ]),
    },
  ];
  const all = [
    ...attributes.declarations(),
    declaration(
      "Policies",
      objectType(members),
      "The type argument of `loadPolicies<Policies>` and of functions that take its policies.",
    ),
    declaration(
      "Reads",
      readsType(attributesOfOperations(policies)),
      "The attributes that each operation reads, by kind: those that a handler has to give. `string`: any attribute.",
    ),
  ];
  const imported = attributes.hasAnything ? ['import type { Attributes } from "keyward";\n'] : [];
  return [HEAD, ...imported, ...all].join("\n");
}

/** The reasons of the platform's verdict without a platform layer, or without policies. */
const NOT_ASKED: LayerReasons = { allow: ["not_asked"], deny: ["invalid_policies"] };

function kindsType(kinds: readonly KindNames[], attributes: AttributeTypes): Type {
  return objectType(
    kinds.map(({ kind, operations, key, account, resource }) => ({
      name: kind,
      type: objectType([
        { name: "operations", type: namesType(operations) },
        { name: "attr", type: attributesType(resource, attributes) },
        { name: "key", type: attributesType([key], attributes) },
        { name: "account", type: attributesType([account], attributes) },
      ]),
    })),
  );
}

/** Names of attributes, by kind, operation and part of the request. */
function readsType(operations: readonly OperationAttributes[]): Type {
  const kinds = grouped(operations, ({ kind }) => kind);
  return objectType(
    [...kinds].map(([name, ofKind]) => ({
      name,
      type: objectType(
        ofKind.map(({ operation, ...parts }) => ({
          name: operation,
          type: objectType(PARTS.map((part) => ({ name: part, type: attributeNamesType(parts[part]) }))),
        })),
      ),
    })),
  );
}

const PARTS = ["key", "account", "resource"] as const;

function attributeNamesType(names: AttributeNames): Type {
  return names === "any" ? text("string") : textsType(names);
}

/** The type of attributes that satisfy the schemas of each layer: those of one of the layer's policies. */
function attributesType(layers: readonly SchemaRefs[], attributes: AttributeTypes): Type {
  const types = layers.map((refs) =>
    unionOf(refs.length === 0 ? [UNKNOWN] : refs.map((ref) => (ref === undefined ? UNKNOWN : attributes.at(ref)))),
  );
  const type = intersectionOf(types);
  return type === UNKNOWN ? attributes.anything() : type;
}

/** Names, and texts that match a pattern. Any text if `*` is the only name. */
function namesType({ names, patterns }: NamesAndPatterns): Type {
  const some = patterns.filter((pattern) => !isEverything(pattern));
  if (names.length + some.length === 0) return text("string");
  return unionOf([
    ...names.map(literalType),
    ...some.flatMap(alternativesOf).map((pattern) => text(templateOf(pattern))),
  ]);
}

/** If any name is a role, editors still suggest the names that policies use. */
function rolesType(roles: RoleNames): Type {
  const known = namesType(roles);
  return roles.isOpen && roles.names.length > 0 ? unionOf([known, text("(string & Record<never, never>)")]) : known;
}

/** The part of a template that stands for any text. */
const ANY_TEXT = `\${string}`;

/** A glob as a template: each of its wildcards stands for any text. */
function templateOf(glob: string): string {
  const parts = glob.matchAll(/\\(?<escaped>.)|\*+|\?|\[!?(?:\\.|[^\]])*\]|\{(?<alternatives>[^}]*)\}|(?<text>.)/gsu);
  const template = [...parts].map(({ groups: { escaped, alternatives, text: plain } = {} }) => {
    if (alternatives !== undefined)
      return `\${${alternatives
        .split(",")
        .map((each) => JSON.stringify(each.replace(/\\(.)/gu, "$1")))
        .join(" | ")}}`;
    const said = escaped ?? plain;
    return said === undefined ? ANY_TEXT : said.replace(/[`\\$]/, "\\$&");
  });
  return `\`${template.join("")}\``;
}

function reasonsType({ allow, deny }: LayerReasons): Type {
  return objectType([
    { name: "allow", type: textsType(allow) },
    { name: "deny", type: textsType(deny) },
  ]);
}

function objectType(members: readonly Member[]): Type {
  return { kind: "object", members };
}
