/** How the policies are asked, and how continuous integration checks them. */

import { capital } from "../../audit/capital.js";
import { VERSION } from "../../bundle/version.js";
import { CUSTOM_ROLE, type PolicyDomain, ROLES } from "./domain.js";
import { editorSchema, flow } from "./yaml.js";

export function configurationText({ nouns }: PolicyDomain): string {
  return `${editorSchema("keyward", 1)}
#
# How these policies are asked. Every loader and every command reads this file. A Cerbos server refuses a directory with
# it: if one reads this directory, name the file .keyward.yaml, which keyward reads as well.

title: ${capital(nouns)}
layers: { permission: default, platform: platform }
platform: { unlisted: forbidden }
schemaEnforcement: none
typedReads: true
lenientScopeSearch: false
globals: {}
roles: ${flow([...ROLES.map(({ name }) => name), CUSTOM_ROLE])}
`;
}

/** The version of the solver that proofs are made with. */
const SOLVER = "z3-solver@5.2.0";

const GLOBAL_INSTALL = `npm install --global keyward@${VERSION} ${SOLVER}`;

/** The command of keyward, once the package is installed. */
function commandOf(isProgram: boolean): string {
  return isProgram ? "npx keyward" : "keyward";
}

/** The commands to try on a new set, one a line. */
export function nextCommands(policies: string, request: string, isProgram: boolean): readonly string[] {
  const command = commandOf(isProgram);
  return [
    `npx keyward decide ${policies} --input ${request}`,
    `npx keyward test ${policies} --coverage text`,
    isProgram ? `npm install --save-dev ${SOLVER}` : GLOBAL_INSTALL,
    `${command} prove ${policies}`,
    `${command} mutate ${policies}`,
  ];
}

/**
 * A workflow for GitHub. A program has keyward among its dependencies. A repository of policies alone installs it
 * globally, because every JSON file in the directory of the policies would be read as a policy.
 */
export function workflowText(policies: string, isProgram: boolean): string {
  const installed = isProgram
    ? `      - run: npm ci
      - run: npm install --no-save keyward@${VERSION} ${SOLVER}`
    : `      - run: ${GLOBAL_INSTALL}`;
  const command = commandOf(isProgram);
  return `name: policies
on: [push, pull_request]
permissions: { contents: read }
jobs:
  policies:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 22 }
${installed}
      - run: ${command} check ${policies} --locked --max-warnings 0 --format github
      - run: ${command} test ${policies} --min-coverage 100 --format github
      - run: ${command} prove ${policies}
      - run: ${command} mutate ${policies} --format github
      - run: ${command} types ${policies} --output policies.ts --check
`;
}
