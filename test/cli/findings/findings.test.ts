/** Findings as GitHub annotations and as SARIF, with hostile names and messages. */

import { describe, expect, test } from "vitest";
import type { CliFinding, CliReport } from "../../../src/cli/findings/finding.js";
import { githubAnnotations } from "../../../src/cli/findings/github.js";
import { sarifLog } from "../../../src/cli/findings/sarif.js";
import { sarifOf } from "../../support/sarif/valid.js";

const DIRECTORY = "/srv/repository";

function report(...findings: readonly CliFinding[]): CliReport {
  return {
    findings,
    rules: [
      { id: "shape", description: "A field is missing." },
      { id: "yaml", description: "Not YAML." },
    ],
  };
}

const finding = (changes: Partial<CliFinding> = {}): CliFinding => ({
  rule: "shape",
  level: "error",
  message: "a field is missing",
  place: { file: "policies/a.yaml", line: 3, column: 7 },
  ...changes,
});

function annotations(...findings: readonly CliFinding[]): string {
  return githubAnnotations(report(...findings), DIRECTORY);
}

/** Parses the workflow commands in a text as the GitHub Actions runner does. */
function commands(text: string) {
  const unescaped = (value: string) =>
    value
      .replaceAll("%0D", "\r")
      .replaceAll("%0A", "\n")
      .replaceAll("%3A", ":")
      .replaceAll("%2C", ",")
      .replaceAll("%25", "%");
  return text
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith("::"))
    .map((line) => {
      const end = line.indexOf("::", 2);
      const [name = "", ...rest] = line.slice(2, end).split(" ");
      const properties = rest
        .join(" ")
        .split(",")
        .map((pair): [string, string] => {
          const at = pair.indexOf("=");
          return [pair.slice(0, at), unescaped(pair.slice(at + 1))];
        });
      return { name, properties: Object.fromEntries(properties), message: unescaped(line.slice(end + 2)) };
    });
}

/** Writes the findings as SARIF. */
function sarif(...findings: readonly CliFinding[]) {
  const log = sarifOf(JSON.stringify(sarifLog(report(...findings), { directory: DIRECTORY, version: "1.2.3" })));
  const [run] = log.runs;
  if (run === undefined) throw new Error("no run");
  return run;
}

describe("GitHub annotations", () => {
  test("one line a finding", () => {
    const hinted = finding({ level: "warning", hint: "did you mean `actions`?", rule: "yaml" });
    const note = finding({ level: "note", place: { file: "b.yaml", line: 1, column: 2, endLine: 1, endColumn: 5 } });
    expect(annotations(finding(), hinted, note)).toBe(
      "::error file=policies/a.yaml,line=3,col=7,title=keyward%3A shape::a field is missing\n" +
        "::warning file=policies/a.yaml,line=3,col=7,title=keyward%3A yaml::a field is missing (did you mean `actions`?)\n" +
        "::notice file=b.yaml,line=1,endLine=1,col=2,endColumn=5,title=keyward%3A shape::a field is missing\n",
    );
  });

  test("columns only where the place is within a line; no file where it is outside of the repository", () => {
    const lines = finding({ place: { file: "a.yaml", line: 1, column: 9, endLine: 4, endColumn: 2 } });
    expect(annotations(lines)).toBe(
      "::error file=a.yaml,line=1,endLine=4,title=keyward%3A shape::a field is missing\n",
    );
    const [outside] = commands(annotations(finding({ place: { file: "../other/a.yaml", line: 1 } })));
    expect(outside?.properties).not.toHaveProperty("file");
    const { place: _, ...nowhere } = finding();
    expect(annotations(nowhere)).toBe("::error title=keyward%3A shape::a field is missing\n");
    expect(annotations()).toBe("");
  });

  test.each([
    "100%",
    "%0A",
    "%250A",
    "a\nb",
    "a\r\nb",
    "\n::error::injected",
    "::stop-commands::x",
    "a:b,c=d",
    " ",
    "é\u2028",
    "\u0000\u001b[31m",
  ])("%j is a message, and a name, and nothing else", (text) => {
    const [only, ...others] = commands(
      annotations(finding({ message: text, place: { file: `policies/${text}`, line: 1, column: 1 }, rule: text })),
    );
    // Control and invisible characters appear escaped.
    const shown = text.replace("\u2028", "\\u2028").replace("\u0000\u001b", "\\u0000\\u001b");
    expect(others).toEqual([]);
    expect(only).toEqual({
      name: "error",
      properties: { file: `policies/${shown}`, line: "1", col: "1", title: `keyward: ${shown}` },
      message: shown,
    });
  });
});

describe("SARIF", () => {
  test("rules, results and places", () => {
    const run = sarif(finding(), finding({ level: "note", rule: "yaml", place: { file: "b.yaml" } }));
    expect(run.tool.driver).toMatchObject({ name: "keyward", version: "1.2.3" });
    expect(run.tool.driver.rules?.map(({ id }) => id)).toEqual(["shape", "yaml"]);
    expect(run.columnKind).toBe("utf16CodeUnits");
    expect(run.results).toEqual([
      {
        ruleId: "shape",
        ruleIndex: 0,
        level: "error",
        message: { text: "a field is missing" },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: "policies/a.yaml" },
              region: { startLine: 3, startColumn: 7 },
            },
          },
        ],
      },
      {
        ruleId: "yaml",
        ruleIndex: 1,
        level: "note",
        message: { text: "a field is missing" },
        locations: [{ physicalLocation: { artifactLocation: { uri: "b.yaml" } } }],
      },
    ]);
  });

  test("no findings, a rule that is not listed, no place", () => {
    expect(sarif().results).toEqual([]);
    const { place: _, ...nowhere } = finding({ rule: "other" });
    expect(sarif(nowhere).results).toEqual([
      { ruleId: "other", level: "error", message: { text: "a field is missing" } },
    ]);
  });

  test.each([
    ["a b.yaml", "a%20b.yaml"],
    ["ä#?%.yaml", "%C3%A4%23%3F%25.yaml"],
    ["a:b.yaml", "a%3Ab.yaml"],
    ["line\nbreak.yaml", "line%0Abreak.yaml"],
    ["\ud800.yaml", "%EF%BF%BD.yaml"],
    ["/elsewhere/a b.yaml", "file:///elsewhere/a%20b.yaml"],
    ["../a.yaml", "file:///srv/a.yaml"],
    ["/srv/repository/p/a.yaml", "p/a.yaml"],
    ["..a/b.yaml", "..a/b.yaml"],
    [".", "."],
  ])("the file %j is %s", (file, uri) => {
    const [result] = sarif(finding({ place: { file } })).results ?? [];
    expect(result?.locations?.[0]?.physicalLocation?.artifactLocation?.uri).toBe(uri);
  });

  test("a message has no placeholders and no links", () => {
    const texts = ["{0}", '{"a":1}', "see [this](1)", "P.attr.x[0]", "a\\b", "\u0000"];
    const messages = sarif(...texts.map((message) => finding({ message }))).results?.map(({ message }) => message.text);
    expect(messages).toEqual(["{{0}}", '{{"a":1}}', "see \\[this](1)", "P.attr.x[0]", "a\\b", "\u0000"]);
  });

  test("the schema refuses what is not SARIF", () => {
    expect(() => sarifOf('{"version":"2.1.0","runs":[{"tool":{}}]}')).toThrow();
    expect(() => sarifOf('{"version":"2.0.0","runs":[]}')).toThrow();
  });
});
