/** Policies with both layers, and helpers that make suites for them. */

import { isLeft } from "fp-ts/lib/Either.js";
import type { PolicyFile } from "../../src/index.js";
import { type RunOptions, runSuites, type SuiteFiles, type TestReport } from "../../src/testing/index.js";

export const PERMISSION = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  importDerivedRoles: [roles]
  variables:
    local:
      same_owner: R.attr.owner == P.attr.owner
      label: '"doc " + R.id'
  rules:
    - name: reader
      actions: [read]
      roles: [user]
      effect: EFFECT_ALLOW
      condition: { match: { expr: V.same_owner } }
    - name: writer
      actions: [write]
      derivedRoles: [boss]
      effect: EFFECT_ALLOW
      condition: { match: { any: { of: [{ expr: R.attr.open == true }, { expr: P.attr.level > 5 }] } } }
      output: { when: { ruleActivated: V.label, conditionNotMet: '"no"' } }
    - name: timed
      actions: [timed]
      roles: [user]
      effect: EFFECT_ALLOW
      condition: { match: { expr: 'now() > timestamp("2026-01-01T00:00:00Z")' } }
`;
export const ROLES = `apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: roles
  definitions:
    - name: boss
      parentRoles: [user]
      condition: { match: { expr: P.attr.boss == true } }
`;
export const PLATFORM = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: platform
  rules:
    - name: supported
      actions: [read, write, timed]
      roles: [account]
      effect: EFFECT_ALLOW
    - name: frozen
      actions: [write]
      roles: [account]
      effect: EFFECT_DENY
      condition: { match: { none: { of: [{ expr: P.attr.frozen == false }] } } }
      output: { when: { ruleActivated: '"frozen"' } }
`;
export const POLICIES: readonly PolicyFile[] = [
  { path: "doc.yaml", text: PERMISSION },
  { path: "platform.yaml", text: PLATFORM },
  { path: "roles.yaml", text: ROLES },
];

export const FIXTURES = `keys:
  user: { roles: [user], attr: { owner: acme, boss: false, level: 1 } }
  boss: { extends: user, id: key_boss, attr: { boss: true } }
accounts:
  acme: { attr: { frozen: false, limits: { docs: 5, keys: 6 } } }
resources:
  doc: { kind: doc, attr: { owner: acme, open: true } }
`;

/** A suite with fixtures and these cases; each case is a line. */
export function suite(...cases: readonly string[]): string {
  return `name: Suite\n${FIXTURES}defaults: { key: user, account: acme, resource: doc, operation: read }\ncases:\n${cases.map((each) => `  - ${each}\n`).join("")}`;
}

export function files(texts: { readonly [path: string]: string }): SuiteFiles {
  return new Map(Object.entries(texts));
}

/** Runs suites, given by path, with the policies above unless others are given. */
export function run(
  texts: { readonly [path: string]: string },
  options: RunOptions = {},
  policies: readonly PolicyFile[] = POLICIES,
): TestReport {
  const report = runSuites(policies, files(texts), options);
  if (isLeft(report)) throw new Error(JSON.stringify(report.left));
  return report.right;
}
