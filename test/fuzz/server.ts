/** Loads many small policies here and in one server. */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isLeft, isRight } from "fp-ts/lib/Either.js";
import type { JsonValue } from "../../src/cel/json.js";
import { parseTimestamp } from "../../src/cel/time.js";
import { check } from "../../src/engine/evaluate/check.js";
import type { CheckEngine } from "../../src/engine/evaluate/check-engine.js";
import type { CheckResult } from "../../src/engine/evaluate/check-types.js";
import { compileCheckEngine } from "../../src/engine/evaluate/compile-check-engine.js";
import { filesRefusedByServer } from "../support/compile.js";
import { type Server, startServer } from "../support/server.js";

/** A policy for its own kind of resource. */
export interface Sample {
  /** The text that messages show. */
  readonly text: string;
  /** Fields of the resource policy, without its kind and version. */
  readonly policy: { readonly [field: string]: JsonValue };
  /** Schemas by path. */
  readonly schemas?: { readonly [path: string]: JsonValue };
}

export interface Attributes {
  readonly [name: string]: JsonValue;
}

/** The answers of the server and of this library about one resource. */
export interface Answers {
  readonly server: { readonly [field: string]: JsonValue };
  readonly here: CheckResult;
}

const PRINCIPAL = { id: "p", roles: ["r"] };
const ACTION = "view";

/** The samples that both sides load, and a line for each sample that only one side loads. */
export async function loadBoth(
  samples: readonly Sample[],
): Promise<{ readonly loaded: readonly Loaded[]; readonly differences: readonly string[] }> {
  const files = samples.map(filesOf);
  const refused = await filesRefusedByServer(files.flat());
  const loaded: Loaded[] = [];
  const differences: string[] = [];
  for (const [i, sample] of samples.entries()) {
    const own = files[i] ?? [];
    const engine = compileCheckEngine(
      own.map(([path, text]) => ({ path, text })),
      { schemaEnforcement: "warn" },
    );
    const theirs = refused.get(nameOf(i));
    if (isRight(engine) !== (theirs === undefined)) {
      differences.push(
        `${sample.text}\n  server ${theirs ?? "loads it"}\n  here ${isLeft(engine) ? engine.left[0].message : "loaded"}`,
      );
    } else if (isRight(engine)) loaded.push({ index: i, sample, files: own, engine: engine.right });
  }
  return { loaded, differences };
}

export interface Loaded {
  readonly index: number;
  readonly sample: Sample;
  readonly files: readonly (readonly [path: string, text: string])[];
  readonly engine: CheckEngine;
}

function nameOf(index: number): string {
  return `p${index}.json`;
}

function filesOf({ policy, schemas = {} }: Sample, index: number): Loaded["files"] {
  const resourcePolicy = { resource: `kind${index}`, version: "default", ...policy };
  return [
    [nameOf(index), JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy })],
    ...Object.entries(schemas).map(([path, schema]) => [`_schemas/${path}`, JSON.stringify(schema)] as const),
  ];
}

/**
 * Runs `use` with one server for all loaded samples. If a request crashes the server (status 0), a new one is started.
 */
export async function withServer<T>(loaded: readonly Loaded[], use: (server: Server) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "keyward-fuzz-"));
  try {
    for (const [path, text] of loaded.flatMap(({ files }) => files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), text);
    }
    const start = () => startServer(directory, { schema: { enforcement: "warn" } });
    let server = await start();
    const check: Server["check"] = async (body) => {
      try {
        return await server.check(body);
      } catch {
        await server.stop();
        server = await start();
        return { status: 0, text: "" };
      }
    };
    try {
      return await use({ ...server, check });
    } finally {
      await server.stop();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Both answers for each resource, or undefined if the server cannot answer: the answer has a number that JSON cannot
 * represent, or the server panics, which is reported to `panicking`.
 */
export async function answersOf(
  server: Server,
  asked: readonly { readonly loaded: Loaded; readonly attr: Attributes }[],
  panicking: (sample: Sample) => void,
): Promise<readonly (Answers | undefined)[]> {
  const results: (Answers | undefined)[] = [];
  for (let from = 0; from < asked.length; from += 40) {
    const some = asked.slice(from, from + 40);
    const together = await ask(server, some);
    for (const [i, one] of some.entries()) {
      const [alone] = together === undefined ? ((await ask(server, [one], panicking)) ?? []) : [together[i]];
      results.push(alone === undefined ? undefined : { server: alone, here: here(one.loaded, one.attr) });
    }
  }
  return results;
}

async function ask(
  server: Server,
  asked: readonly { readonly loaded: Loaded; readonly attr: Attributes }[],
  panicking?: (sample: Sample) => void,
): Promise<readonly Answers["server"][] | undefined> {
  const resources = asked.map(({ loaded, attr }) => ({
    resource: { kind: `kind${loaded.index}`, id: "1", attr },
    actions: [ACTION],
  }));
  const { status, text } = await server.check({ principal: PRINCIPAL, resources });
  if (status === 200) return JSON.parse(text).results;
  if (status === 0 || text.includes("panic caught")) for (const { loaded } of asked) panicking?.(loaded.sample);
  else if (!/invalid (?:NaN|[+-]Inf) value/.test(text)) throw new Error(text);
  return undefined;
}

function here({ index, engine }: Loaded, attr: Attributes): CheckResult {
  const place = { policyVersion: "", scope: "" };
  const principal = { ...PRINCIPAL, attr: {}, ...place };
  const resource = { kind: `kind${index}`, id: "1", attr, ...place };
  const now = parseTimestamp("2024-01-01T00:00:00Z");
  return check(engine.policies, { principal, resource, actions: [ACTION], jwt: {}, now }, engine.options);
}
