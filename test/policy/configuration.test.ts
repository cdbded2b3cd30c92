/** `keyward.yaml`: its fields are read, and every fault has a place. */

import { expect, test } from "vitest";
import { readConfiguration } from "../../src/policy/configuration/configuration.js";
import { readGlobals } from "../../src/policy/configuration/globals.js";
import { IssueLog } from "../../src/policy/issue-log.js";
import { Source } from "../../src/policy/text/source.js";
import { FAULTS, WHOLE } from "./configurations.js";

function read(text: string) {
  const log = new IssueLog();
  const configuration = readConfiguration("keyward.yaml", text, log);
  const issues = log.issues.map(({ line, column, message, hint }) =>
    `${line}:${column} ${message} ${hint ?? ""}`.trim(),
  );
  return { configuration, issues };
}

test("every field is read", () => {
  expect(read(WHOLE)).toEqual({
    configuration: {
      file: "keyward.yaml",
      layers: { permission: "v1", platform: "rules", others: ["v0"] },
      platform: { unlisted: "supported", at: { file: "keyward.yaml", line: 2, column: 13 } },
      globals: { limit: 10n, huge: 9007199254740993n, text: "1", list: ["a", 1.5] },
      schemaEnforcement: "reject",
      typedReads: false,
      lenientScopeSearch: true,
      cerbos: "0.58",
      roles: ["viewer", "admin"],
      title: "Keys",
      owner: "platform team",
      purpose: "who may use keys",
      controls: [
        { clause: "7.4.1", controls: ["SOC2 CC6.3", "ISO A.5"], at: { file: "keyward.yaml", line: 16, column: 13 } },
      ],
    },
    issues: [],
  });
  expect(read("platform: none\n").configuration).toMatchObject({ platform: "none", globals: undefined });
});

test.each(FAULTS)("%j is refused with its place", (text, issue) => {
  const { configuration, issues } = read(text);
  expect(configuration).toBeUndefined();
  expect(issues.map((one) => one.replace(/^did/, ""))).toEqual([issue]);
});

test("globals in a file of their own", () => {
  const log = new IssueLog();
  const globals = (text: string) => readGlobals(new Source("g.yaml", text), log);
  expect(globals("a: !!str 1\nb: 1\nc: 1.0\n")).toEqual({ a: "1", b: 1n, c: 1 });
  expect(globals("")).toEqual({});
  expect(globals("- 1\n")).toBeUndefined();
  expect(log.issues.map(({ message }) => message)).toEqual(["must be a map of names to values"]);
});
