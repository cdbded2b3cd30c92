/** The stores to mutate: Cerbos's own policy files, each with the files needed to load it. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isLeft } from "fp-ts/lib/Either.js";
import { parse } from "yaml";
import { scopesAbove } from "../../src/policy/names.js";
import { parsePolicyFiles } from "../../src/policy/parse.js";
import { CORPUS, casesIn, field, filesOfArchive, list, text } from "../conformance/corpus.js";

/** Texts by path. */
export type Texts = ReadonlyMap<string, string>;

export interface MutableStore {
  readonly name: string;
  readonly files: Texts;
  /** The file to mutate. */
  readonly target: string;
  /** Whether the store loads without a mutation. */
  readonly loads: boolean;
}

type Unloaded = Omit<MutableStore, "loads">;

/** Every policy file and schema of the corpus as a target, in a fixed order. */
export function mutableStores(): readonly MutableStore[] {
  return [...archives(), ...indexCases(), ...conditions(), ...storeFiles()].map((store) => {
    const files = [...store.files].map(([path, text]) => ({ path, text }));
    return { ...store, loads: !isLeft(parsePolicyFiles(files)) };
  });
}

function eachFile(name: string, files: Texts): readonly Unloaded[] {
  return [...files.keys()].map((target) => ({ name: `${name} ${target}`, files, target }));
}

function archives(): readonly Unloaded[] {
  const schemas = directoryFiles(join(CORPUS, "schema/fs"));
  return casesIn("compile").flatMap(({ name, companions }) => {
    const files = filesOfArchive(companions.get("input") ?? "");
    return eachFile(`compile/${name}`, files).map((store) => ({ ...store, files: new Map([...schemas, ...files]) }));
  });
}

function indexCases(): readonly Unloaded[] {
  return casesIn("index").flatMap(({ name, body }) => {
    const files = Object.entries(field(body, "files") ?? {}).map(([path, file]) => [path, String(file)] as const);
    return eachFile(`index/${name}`, new Map(files));
  });
}

/** Each condition of the corpus, in a rule of its own policy. */
function conditions(): readonly Unloaded[] {
  return casesIn("cel_eval").flatMap(({ name, body }) => {
    const rule = {
      actions: ["test"],
      roles: ["*"],
      effect: "EFFECT_ALLOW",
      condition: { match: field(body, "condition") },
    };
    const resource = { resource: text(body, "request", "resource", "kind"), version: "default", rules: [rule] };
    const policy = JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy: resource }, null, 2);
    return eachFile(`cel_eval/${name}`, new Map([["policy.json", policy]]));
  });
}

/** The policies of the store, each with its imports, its schemas and the policies of its parent scopes. */
function storeFiles(): readonly Unloaded[] {
  const all = directoryFiles(join(CORPUS, "store"));
  const entries = [...all].map(([path, source]) => ({ path, source, body: bodyOf(path, source) }));
  const closure = (path: string): Texts => {
    const needed = new Set([path]);
    for (const one of needed) {
      const body = entries.find((entry) => entry.path === one)?.body;
      for (const entry of entries) if (needs(body, entry.path, entry.body)) needed.add(entry.path);
    }
    return new Map([...needed].map((one) => [one, all.get(one) ?? ""]));
  };
  return entries.map(({ path, body }) => {
    // Derived roles, variables and schemas load together with a policy that uses them.
    const user = isExecutable(body) ? undefined : entries.find((entry) => needs(entry.body, path, body));
    const files = new Map([...closure(path), ...(user === undefined ? [] : closure(user.path))]);
    return { name: `store ${path}`, files, target: path };
  });
}

/** The policy files of a directory, as the loader selects them: without tests and hidden files. */
function directoryFiles(root: string): Texts {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  const wanted = paths.filter((path) =>
    path.startsWith("_schemas/") ? path.endsWith(".json") : /(?<!_test)\.(yaml|json)$/.test(path),
  );
  const visible = wanted.filter((path) => !/(^|\/)(\.|testdata\/)/.test(path));
  return new Map(visible.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

function bodyOf(path: string, source: string): unknown {
  return path.startsWith("_schemas/") ? undefined : parse(source);
}

function isExecutable(body: unknown): boolean {
  return ["resourcePolicy", "principalPolicy", "rolePolicy"].some((kind) => field(body, kind) !== undefined);
}

/** Whether a policy directly needs the file at `path`. */
function needs(body: unknown, path: string, other: unknown): boolean {
  for (const kind of ["resourcePolicy", "principalPolicy", "derivedRoles"]) {
    if (field(body, kind) === undefined) continue;
    const imports = (what: string) => list(body, kind, what, "import").includes(field(other, exportOf(what), "name"));
    if (imports("variables") || imports("constants")) return true;
    if (list(body, kind, "importDerivedRoles").includes(field(other, "derivedRoles", "name"))) return true;
    if (scopesAbove(text(body, kind, "scope")).includes(text(other, kind, "scope")) && sameName(body, other, kind)) {
      return true;
    }
  }
  const schemas = ["principalSchema", "resourceSchema"];
  return schemas.some(
    (use) => text(body, "resourcePolicy", "schemas", use, "ref") === `cerbos:///${path.slice("_schemas/".length)}`,
  );
}

function exportOf(what: string): string {
  return what === "variables" ? "exportVariables" : "exportConstants";
}

function sameName(one: unknown, other: unknown, kind: string): boolean {
  return ["resource", "principal", "version"].every((name) => text(one, kind, name) === text(other, kind, name));
}
