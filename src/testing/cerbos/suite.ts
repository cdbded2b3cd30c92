/** Cerbos test suites and fixtures, read from data that has the right shape. */

import * as E from "fp-ts/lib/Either.js";
import type { JsonObject, JsonValue } from "../../cel/json.js";
import { parseTimestamp } from "../../cel/time.js";
import { type JsonMap, Timestamp } from "../../cel/values.js";
import type { CheckPrincipal, CheckResource } from "../../engine/evaluate/check-types.js";
import { flagOf, membersOf, objectOf, objectsOf, textOrEmpty, textsOf } from "../json.js";

/** Effects as the API spells them. */
export type TestedEffect = "EFFECT_ALLOW" | "EFFECT_DENY";

/** Token claims: `jwt` of the unnamed token, `jwts` of the named tokens. */
export interface AuxData {
  readonly jwt: JsonMap;
  readonly jwts: JsonMap;
}

/** Principals, resources and auxiliary data by name, and groups of them. */
export interface CerbosFixtures {
  readonly principals: ReadonlyMap<string, CheckPrincipal>;
  readonly principalGroups: ReadonlyMap<string, readonly string[]>;
  readonly resources: ReadonlyMap<string, CheckResource>;
  readonly resourceGroups: ReadonlyMap<string, readonly string[]>;
  readonly auxData: ReadonlyMap<string, AuxData>;
}

export interface CerbosTestOptions {
  readonly now: Timestamp | undefined;
  readonly lenientScopeSearch: boolean;
  readonly strictEvaluation: boolean;
  readonly globals: JsonMap;
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
}

interface FixtureSelection {
  readonly principals: readonly string[];
  readonly principalGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceGroups: readonly string[];
}

export interface Expectation extends FixtureSelection {
  readonly actions: ReadonlyMap<string, TestedEffect>;
  /** By action: the expected value of each output by its source; undefined where the suite gives no value. */
  readonly outputs: ReadonlyMap<string, ReadonlyMap<string, JsonValue | undefined>>;
}

export interface TestTable {
  readonly name: string;
  readonly skip: boolean;
  readonly skipReason: string;
  readonly options: CerbosTestOptions | undefined;
  readonly input: FixtureSelection & { readonly actions: readonly string[]; readonly auxData: string };
  readonly expected: readonly Expectation[];
}

export interface CerbosSuite extends CerbosFixtures {
  readonly name: string;
  readonly description: string;
  readonly skip: boolean;
  readonly skipReason: string;
  readonly options: CerbosTestOptions | undefined;
  readonly tests: readonly TestTable[];
}

/** Reads a suite. Left: the faults that the shape alone does not rule out. */
export function readSuite(data: JsonObject): E.Either<string, CerbosSuite> {
  const tests = objectsOf(data, "tests");
  const clocks = [data, ...tests].flatMap((each) => clockFault(objectOf(each, "options")));
  const faults = [...clocks, ...tests.flatMap(tableFaults)];
  if (faults.length > 0) return E.left(faults.map((fault) => `\n${fault}`).join(""));
  return E.right({
    ...readFixtures(data),
    name: textOrEmpty(data, "name"),
    description: textOrEmpty(data, "description"),
    skip: flagOf(data, "skip"),
    skipReason: textOrEmpty(data, "skipReason"),
    options: readOptions(objectOf(data, "options")),
    tests: objectsOf(data, "tests").map(readTable),
  });
}

export function readFixtures(data: JsonObject): CerbosFixtures {
  return {
    principals: membersOf(data, "principals", readPrincipal),
    principalGroups: membersOf(data, "principalGroups", (group) => textsOf(group, "principals")),
    resources: membersOf(data, "resources", readResource),
    resourceGroups: membersOf(data, "resourceGroups", (group) => textsOf(group, "resources")),
    auxData: membersOf(data, "auxData", (aux) => ({
      jwt: objectOf(aux, "jwt") ?? {},
      jwts: objectOf(aux, "jwts") ?? {},
    })),
  };
}

function readPrincipal(data: JsonObject): CheckPrincipal {
  return {
    id: textOrEmpty(data, "id"),
    roles: textsOf(data, "roles"),
    attr: objectOf(data, "attr") ?? {},
    policyVersion: textOrEmpty(data, "policyVersion"),
    scope: textOrEmpty(data, "scope"),
  };
}

function readResource(data: JsonObject): CheckResource {
  return {
    kind: textOrEmpty(data, "kind"),
    id: textOrEmpty(data, "id"),
    attr: objectOf(data, "attr") ?? {},
    policyVersion: textOrEmpty(data, "policyVersion"),
    scope: textOrEmpty(data, "scope"),
  };
}

function readOptions(data: JsonObject | undefined): CerbosTestOptions | undefined {
  if (data === undefined) return undefined;
  return {
    now: instantOf(textOrEmpty(data, "now")),
    lenientScopeSearch: flagOf(data, "lenientScopeSearch"),
    strictEvaluation: flagOf(data, "strictEvaluation"),
    globals: objectOf(data, "globals") ?? {},
    defaultPolicyVersion: textOrEmpty(data, "defaultPolicyVersion"),
    defaultScope: textOrEmpty(data, "defaultScope"),
  };
}

/** Drops the offset of the time: protobuf timestamps have none. */
function instantOf(text: string): Timestamp | undefined {
  const time = parseTimestamp(text);
  return time === undefined ? undefined : new Timestamp(time.seconds, time.nanos);
}

function clockFault(options: JsonObject | undefined): readonly string[] {
  if (options?.now === undefined || parseTimestamp(textOrEmpty(options, "now")) !== undefined) return [];
  return [`invalid timestamp value ${JSON.stringify(options.now)}`];
}

function readTable(data: JsonObject): TestTable {
  const input = objectOf(data, "input") ?? {};
  return {
    name: textOrEmpty(data, "name"),
    skip: flagOf(data, "skip"),
    skipReason: textOrEmpty(data, "skipReason"),
    options: readOptions(objectOf(data, "options")),
    input: { ...readSelection(input), actions: textsOf(input, "actions"), auxData: textOrEmpty(input, "auxData") },
    expected: objectsOf(data, "expected").map(readExpectation),
  };
}

function readSelection(data: JsonObject): FixtureSelection {
  return {
    principals: oneOrMore(data, "principal", "principals"),
    principalGroups: textsOf(data, "principalGroups"),
    resources: oneOrMore(data, "resource", "resources"),
    resourceGroups: textsOf(data, "resourceGroups"),
  };
}

function oneOrMore(data: JsonObject, one: string, more: string): readonly string[] {
  const name = textOrEmpty(data, one);
  return name === "" ? textsOf(data, more) : [name];
}

function readExpectation(data: JsonObject): Expectation {
  const actions = Object.entries(objectOf(data, "actions") ?? {});
  return {
    ...readSelection(data),
    actions: new Map(actions.map(([action, effect]) => [action, effect === "EFFECT_ALLOW" ? effect : "EFFECT_DENY"])),
    outputs: new Map(
      objectsOf(data, "outputs").map((output) => [
        textOrEmpty(output, "action"),
        new Map(objectsOf(output, "expected").map((entry) => [textOrEmpty(entry, "src"), entry.val])),
      ]),
    ),
  };
}

/** The faults that the server finds in a test beyond the shape of its fields. */
function tableFaults(data: JsonObject, index: number): readonly string[] {
  const input = objectOf(data, "input") ?? {};
  const missing = ["principal", "resource"].flatMap((noun) =>
    has(input, `${noun}s`) || has(input, `${noun}Groups`)
      ? []
      : [`tests[${index}].input: ${noun}s or ${noun}Groups must be present`],
  );
  const expected = objectsOf(data, "expected").flatMap((expectation, i) =>
    ["principal", "resource"].flatMap((noun) => {
      const at = `tests[${index}].expected[${i}]`;
      const one = textOrEmpty(expectation, noun) !== "";
      const many = has(expectation, `${noun}s`);
      if (one && many) return [`${at}: ${noun} and ${noun}s may not both be present`];
      if (one || many || has(expectation, `${noun}Groups`)) return [];
      return [`${at}: ${noun}, ${noun}s, or ${noun}Groups must be present`];
    }),
  );
  return [...missing, ...expected];
}

function has(data: JsonObject, name: string): boolean {
  return textsOf(data, name).length > 0;
}
