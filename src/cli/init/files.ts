/** All files of a new policy set. The same names give the same bytes. */

import * as E from "fp-ts/lib/Either.js";
import { typesModule } from "../../audit/types/module.js";
import { compilePolicies } from "../../decisions/policy-set.js";
import { lockOf } from "../../node/lock.js";
import { LOCK_FILE } from "../../policy/lock.js";
import type { PolicyFile } from "../../policy/parse.js";
import { claimsText } from "./claims.js";
import { configurationText, workflowText } from "./configuration.js";
import type { PolicyDomain } from "./domain.js";
import { exampleRequest } from "./example-request.js";
import type { Framework } from "./frameworks.js";
import { handlerText } from "./handler.js";
import { handlerTestText } from "./handler-test.js";
import { permissionPolicy } from "./permission-policy.js";
import { platformPolicy } from "./platform-policy.js";
import { accountSchema, keySchema, resourceSchema } from "./schemas.js";
import { damagedSuite, fixturesText, permissionSuite, platformSuite } from "./suites.js";

/** Where the files of a set go, relative to the directory of the command. */
export interface SetLayout {
  /** The directory of the policies: `.`, or a folder of a program. */
  readonly policies: string;
  /** True if the directory of the command is that of a program. */
  readonly isProgram: boolean;
}

/** The files by their paths, with `/` between parts. */
export function filesOf(domain: PolicyDomain, framework: Framework, layout: SetLayout): readonly PolicyFile[] {
  const { kind } = domain;
  const policies: readonly PolicyFile[] = [
    { path: "_schemas/account.json", text: accountSchema(domain) },
    { path: "_schemas/key.json", text: keySchema(domain) },
    { path: `_schemas/${kind}.json`, text: resourceSchema(domain) },
    { path: "keyward.yaml", text: configurationText(domain) },
    { path: `permissions/${kind}.yaml`, text: permissionPolicy(domain) },
    { path: `platform/${kind}.yaml`, text: platformPolicy(domain) },
  ];
  const compiled = compilePolicies(policies);
  if (E.isLeft(compiled)) throw new Error(compiled.left.map(({ file, message }) => `${file}: ${message}`).join("\n"));
  const set: readonly PolicyFile[] = [
    ...policies,
    { path: LOCK_FILE, text: lockOf(policies) },
    { path: `testdata/${kind}.fixtures.yaml`, text: fixturesText(domain) },
    { path: "testdata/permissions.decisions.yaml", text: permissionSuite(domain) },
    { path: "testdata/platform.decisions.yaml", text: platformSuite(domain) },
    { path: "testdata/damaged.decisions.yaml", text: damagedSuite(domain) },
    { path: `testdata/${kind}.claims.yaml`, text: claimsText(domain) },
    { path: "testdata/request.json", text: exampleRequest(domain) },
  ];
  const prefix = layout.policies === "." ? "" : `${layout.policies}/`;
  return [
    ...set.map(({ path, text }) => ({ path: prefix + path, text })),
    { path: ".github/workflows/policies.yml", text: workflowText(layout.policies, layout.isProgram) },
    { path: "policies.ts", text: typesModule(compiled.right) },
    { path: "handler.ts", text: handlerText(domain, framework) },
    { path: "handler-test.ts", text: handlerTestText(domain, framework, layout.policies) },
  ];
}
