/** Policy sets for tests: the shipped ones, and others compiled in the test. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isLeft } from "fp-ts/lib/Either.js";
import { parse } from "yaml";
import { type CompileOptions, compilePolicies, type PolicyFile, type PolicySet } from "../../src/index.js";
import { GLOBALS, OTHER_VERSIONS, toFiles } from "../property/arbitraries/index.js";
import type { PolicyDocument, PolicyDocuments } from "../reference/documents.js";

type Globals = NonNullable<CompileOptions["globals"]>;

/** The directory of the shipped policies, with a final `/`. */
export const SHIPPED_ROOT = fileURLToPath(new URL("../../policies/", import.meta.url));

export const shippedFiles: readonly PolicyFile[] = readdirSync(SHIPPED_ROOT, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => /\.(yaml|json)$/.test(path) && !path.startsWith("testdata/"))
  .sort()
  .map((path) => ({ path, text: readFileSync(SHIPPED_ROOT + path, "utf8") }));

/** The shipped policies as plain data, with their schemas, and without their configuration. */
export const shippedDocuments: PolicyDocuments = shippedFiles
  .filter(({ path }) => path !== ".keyward.yaml")
  .map(({ path, text }): PolicyDocument => {
    const value = parse(text);
    if (!path.startsWith("_schemas/")) return value;
    return { apiVersion: "", schema: { ref: path.replace("_schemas/", "cerbos:///"), value } };
  });

/** Compiles files. Throws an error with the issues as its message. */
export function compiled(files: readonly PolicyFile[], versions?: CompileOptions): PolicySet {
  const loaded = compilePolicies(files, versions);
  if (isLeft(loaded)) throw new Error(loaded.left.map((issue) => JSON.stringify(issue)).join("\n"));
  return loaded.right;
}

/** Compiles documents: shipped, changed or generated ones. Their expressions may read {@link GLOBALS}. */
export function compiledDocuments(documents: PolicyDocuments, globals: Globals = GLOBALS): PolicySet {
  return compiled(toFiles(documents), { globals, otherVersions: OTHER_VERSIONS });
}

export const shipped: PolicySet = compiled(shippedFiles);

/** The part of a question that locates policies without scopes. */
export const UNSCOPED = {
  version: "default",
  principalVersion: "default",
  resourceScope: "",
  principalChain: [],
  resourceChain: [""],
};
