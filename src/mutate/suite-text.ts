/** Test cases that kill surviving mutants, as text of decision suites. */

import { stringify } from "yaml";
import type { JsonObject, JsonValue } from "../cel/json.js";
import { IssueLog } from "../policy/issue-log.js";
import { mapsField, textField } from "../policy/read/fields.js";
import { Source } from "../policy/text/source.js";
import { type MapNode, objectOf } from "../policy/text/tree.js";
import { parseYaml } from "../policy/text/yaml.js";
import { endOf } from "./node-spans.js";
import type { Survivor } from "./report.js";

type CasedSurvivor = Pick<Survivor, "id" | "change" | "request" | "malformed" | "before" | "after">;

/** A case, with the fixtures that it names. */
interface SuiteCase {
  readonly keys: { readonly [name: string]: JsonValue };
  readonly resources: { readonly [name: string]: JsonValue };
  readonly accounts?: { readonly [name: string]: JsonValue };
  readonly case: { readonly [field: string]: JsonValue };
}

const FIXTURES = ["keys", "resources", "accounts"] as const;

/** A suite with the case of one survivor. */
export function suiteText(survivor: CasedSurvivor): string {
  const { case: one, ...fixtures } = caseOf(survivor);
  return stringify({ name: "Survivors", ...fixtures, cases: [one] }, { lineWidth: 0 });
}

/** The case that kills a mutant: it expects the answer that the policies give. */
function caseOf({ id, change, request, malformed, before, after }: CasedSurvivor): SuiteCase {
  const { key, resource, account, operation, now } = request;
  const isOutcome = before.outcome !== after.outcome;
  return {
    keys: { [id]: { ...key, roles: [...key.roles] } },
    resources: { [id]: { ...resource } },
    ...(account === undefined ? {} : { accounts: { [id]: { ...account } } }),
    case: {
      name: id,
      description: change,
      key: id,
      operation,
      resource: id,
      ...(account === undefined ? {} : { account: id }),
      ...(now === undefined ? {} : { now }),
      ...(malformed ? { damaged: true } : {}),
      expect: before.outcome,
      ...(isOutcome ? {} : { reasons: [...before.reasons] }),
      ...(before.fault === undefined ? {} : { fault: before.fault }),
    },
  };
}

/** Why cases cannot be appended to a file. */
export class UnusableSuite extends Error {}

/**
 * A suite with the cases of survivors, one for each request. `text`: the suite so far; undefined: a new one. Survivors
 * that the suite has a case for are left out, and the rest of the text stays. Throws an {@link UnusableSuite}.
 */
export function withCases(text: string | undefined, survivors: readonly CasedSurvivor[], isJson: boolean): string {
  const source = new Source("", text ?? "name: Survivors\n");
  const tree = parseYaml(source, new IssueLog());
  if (tree?.kind !== "map") throw new UnusableSuite("it is no decision suite");
  const known = new Set(mapsField(tree, "cases").map((one) => textField(one, "name")));
  const requests = new Set<string>();
  const added = survivors.flatMap((survivor): readonly SuiteCase[] => {
    const asked = JSON.stringify([survivor.request, survivor.before.outcome === survivor.after.outcome]);
    if (requests.has(asked) || known.has(survivor.id)) return [];
    requests.add(asked);
    return [caseOf(survivor)];
  });
  const fixtures = FIXTURES.map((kind) => [kind, Object.assign({}, ...added.map((one) => one[kind] ?? {}))] as const);
  const cases = added.map((one) => one.case);
  if (isJson) return jsonWith(objectOf(tree), fixtures, cases);
  const filled = fixtures.filter(([, entries]) => Object.keys(entries).length > 0);
  return appended(source.text, tree, added.length === 0 ? [] : [...filled, ["cases", cases]]);
}

type Fixtures = readonly (readonly [kind: string, entries: JsonObject])[];

function jsonWith(suite: JsonObject, fixtures: Fixtures, cases: readonly JsonValue[]): string {
  const all = fixtures.map(([kind, entries]) => [kind, { ...Object(suite[kind]), ...entries }]);
  const before = Array.isArray(suite.cases) ? suite.cases : [];
  return `${JSON.stringify({ ...suite, ...Object.fromEntries(all), cases: [...before, ...cases] }, null, 2)}\n`;
}

/** Appends entries to the sections of a suite. New sections stand at its end. */
function appended(
  text: string,
  suite: MapNode,
  sections: readonly (readonly [name: string, added: unknown])[],
): string {
  const insertions = sections.map(([name, added]) => {
    const section = suite.entries.get(name)?.value;
    if (section === undefined) {
      return { at: text.length, isNew: true, lines: stringify({ [name]: added }, { lineWidth: 0 }) };
    }
    const end = endOf(text, section);
    const isBlock = section.kind !== "scalar" && !/[[{]/.test(text[section.start] ?? "");
    if (!isBlock) throw new UnusableSuite(`write "${name}" with one entry a line`);
    const indent = section.start - (text.lastIndexOf("\n", section.start) + 1);
    const lines = stringify(added, { lineWidth: 0 }).replaceAll(/^(?=.)/gm, " ".repeat(indent));
    const lineEnd = text.indexOf("\n", end);
    return { at: lineEnd < 0 ? text.length : lineEnd + 1, isNew: false, lines };
  });
  let result = text;
  // At one place, the text that is inserted last comes first: the end of a section, then new sections in their order.
  const inOrder = insertions.toReversed().toSorted((a, b) => b.at - a.at || Number(b.isNew) - Number(a.isNew));
  for (const { at, lines } of inOrder) {
    const before = result.slice(0, at);
    result = `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${lines}${result.slice(at)}`;
  }
  return result;
}
