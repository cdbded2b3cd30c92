/** Texts of `keyward.yaml`: one with every field, and faults, each with the issue that names it. */

export const WHOLE = `layers: { permission: v1, platform: rules, others: [v0] }
platform: { unlisted: supported }
globals:
  limit: 10
  huge: 9007199254740993
  text: !!str 1
  list: [a, 1.5]
schemaEnforcement: reject
typedReads: false
lenientScopeSearch: true
cerbos: "0.58"
roles: [viewer, admin]
title: Keys
owner: platform team
purpose: who may use keys
controls: { "7.4.1": [SOC2 CC6.3, ISO A.5] }
`;

export const FAULTS: readonly (readonly [text: string, issue: string])[] = [
  ["", "1:1 the file must be a mapping of fields to values"],
  ["- a\n", "1:1 the file must be a mapping of fields to values"],
  ["typedReeds: true\n", '1:1 unknown field typedReeds did you mean "typedReads"?'],
  ["schemaEnforcement: rejct\n", '1:20 `schemaEnforcement` must be none or warn or reject did you mean "reject"?'],
  ["typedReads: no\n", "1:13 `typedReads` must be true or false"],
  ['typedReads: "false"\n', "1:13 `typedReads` must be true or false"],
  ["lenientScopeSearch: 1\n", "1:21 `lenientScopeSearch` must be true or false"],
  ["platform: non\n", '1:11 `platform` must be none did you mean "none"?'],
  ["platform: {}\n", "1:11 `platform` must be none, or a mapping with the field `unlisted`"],
  ["platform: { unlisted: allowed }\n", "1:23 `unlisted` must be supported or forbidden"],
  ["platform: { unlisted: supported, kinds: [a] }\n", "1:34 unknown field kinds"],
  ["layers: default\n", "1:9 `layers` must be a mapping"],
  ["layers: { permission: 1 }\n", "1:23 `permission` must be text: quote it"],
  ["layers: { permision: v1 }\n", '1:11 unknown field permision did you mean "permission"?'],
  ["layers: { others: v0 }\n", "1:19 `others` must be a list of texts"],
  ["globals: [a]\n", "1:10 `globals` must be a mapping"],
  ["globals: { a-b: 1 }\n", '1:12 "a-b" cannot be the name of a global'],
  ["globals: { a: yes }\n", "1:15 yes means one thing in YAML 1.2 and another to the server quote or rewrite it"],
  [
    "globals: { a: [{ b: 012 }] }\n",
    "1:21 012 means one thing in YAML 1.2 and another to the server quote or rewrite it",
  ],
  ["cerbos: 0.55\n", "1:9 `cerbos` must be 0.55 or 0.58 quote it"],
  ['cerbos: "0.57"\n', '1:9 `cerbos` must be 0.55 or 0.58 did you mean "0.55"?'],
  ['title: ""\n', "1:8 `title` must be text: quote it"],
  ["purpose: 1\n", "1:10 `purpose` must be text: quote it"],
  ["controls: [a]\n", "1:11 `controls` must be a mapping"],
  ["controls: { a: b }\n", "1:16 `a` must be a list of texts"],
  ["controls: { a: [] }\n", "1:16 `a` must name a control"],
  ["controls: { a: [b, 1] }\n", "1:20 `a` must be text: quote it"],
  ["controls: { a: [b, c, b] }\n", "1:16 `a` names the control b twice"],
  ["roles: [a, 1]\n", "1:12 `roles` must be text: quote it"],
];
