/** Policy sets with one-line changes, under each configuration, and requests for them. */

import fc from "fast-check";
import { isLeft } from "fp-ts/lib/Either.js";
import { type CompileOptions, compilePolicies, type PolicyFile, type PolicySet } from "../../src/index.js";
import { type OneLine, oneLineChanged } from "../audit/one-line.js";
import type { Random } from "../differential/random.js";
import {
  GLOBALS,
  mutatedRequest,
  OTHER_VERSIONS,
  type PlainRequest,
  type Profile,
  policySet,
  request,
  shippedRequest,
  toFiles,
} from "../property/arbitraries/index.js";
import { shippedFiles } from "../support/policies.js";

/** A set to change, and requests that fit it. */
export interface Original {
  /** `rejecting`: the name of the configuration. */
  readonly name: string;
  readonly files: readonly PolicyFile[];
  readonly options: CompileOptions;
  /** Other values for the globals, if they are known. */
  readonly otherGlobals?: CompileOptions["globals"];
  readonly requests: readonly PlainRequest[];
}

/** A change of one line, or of a global. */
export interface Changed {
  readonly line: OneLine;
  readonly before: PolicySet;
  readonly after: PolicySet;
}

/** A random change. Undefined: it makes the policies invalid. */
export function changed(
  { files, options, otherGlobals }: Original,
  before: PolicySet,
  random: Random,
): Changed | undefined {
  const isGlobal = otherGlobals !== undefined && random.chance(0.1);
  const line: OneLine = isGlobal
    ? { files, sort: "text", written: "globals", changed: "globals", what: "globals" }
    : oneLineChanged(files, random);
  const compiled = compilePolicies(line.files, isGlobal ? { ...options, globals: otherGlobals } : options);
  return isLeft(compiled) ? undefined : { line, before, after: compiled.right };
}

/** The shipped policies with two expressions that read globals. */
const readingGlobals: readonly PolicyFile[] = shippedFiles.map(({ path, text }) => ({
  path,
  text: text
    .replaceAll("R.attr.keyCount == 0", "R.attr.keyCount == G.keysLeft")
    .replaceAll("R.attr.system == false", "R.attr.system == G.maintenance")
    .replace(/^globals: \{\}\n/m, ""),
}));

/** The shipped policies under each configuration. */
export function shippedOriginals(count: number, seed: number): readonly Original[] {
  const requests = damagedToo(fc.sample(shippedRequest(), { numRuns: Math.ceil(count / 2), seed }), seed);
  const files = shippedFiles;
  const of = (name: string, options: CompileOptions): Original => ({ name, files, options, requests });
  return [
    of("shipped", {}),
    of("rejecting", { schemaEnforcement: "reject" }),
    of("untyped", { typedReads: false }),
    of("permission-only", { platform: "none" }),
    {
      ...of("globals", { globals: { keysLeft: 0, maintenance: false } }),
      files: readingGlobals,
      otherGlobals: { keysLeft: 1 },
    },
    { ...of("unknown globals", {}), files: readingGlobals },
  ];
}

const otherGlobals: CompileOptions["globals"] = { ...GLOBALS, limit: 3, environment: "live" };

const CONFIGURATIONS: readonly Pick<Original, "name" | "options" | "otherGlobals">[] = [
  { name: "globals", options: { globals: GLOBALS }, otherGlobals },
  { name: "unknown globals", options: {} },
  { name: "rejecting", options: { globals: GLOBALS, schemaEnforcement: "reject" } },
  { name: "untyped", options: { globals: GLOBALS, typedReads: false }, otherGlobals },
  { name: "permission-only", options: { globals: GLOBALS, platform: "none" } },
];

/** The `n`th generated set, under one configuration after the other. */
export function generatedOriginal(n: number, count: number, seed: number): Original {
  const cases = fc
    .constantFrom<Profile>("any", "whole", "optionals", "typed")
    .chain((profile) => policySet({ profile }))
    .chain((documents) => {
      const length = Math.ceil(count / 2);
      return fc.tuple(fc.constant(documents), fc.array(request(documents), { minLength: length, maxLength: length }));
    });
  const [[documents, requests] = [[], []]] = fc.sample(cases, { numRuns: 1, seed: seed + n });
  const configuration = CONFIGURATIONS[n % CONFIGURATIONS.length] ?? { name: "none", options: {} };
  return {
    ...configuration,
    options: { otherVersions: OTHER_VERSIONS, ...configuration.options },
    files: toFiles(documents),
    requests: damagedToo(requests, seed + n),
  };
}

/** Adds to each request a copy with an attribute of another type, or without it. */
function damagedToo(requests: readonly PlainRequest[], seed: number): readonly PlainRequest[] {
  return requests.flatMap((one, i) => [
    one,
    ...fc.sample(mutatedRequest(one), { numRuns: 1, seed: seed + i }).map((made) => made.request),
  ]);
}
