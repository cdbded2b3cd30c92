/** Prints the playground's example policy sets with their requests, as JSON. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { PolicyFile } from "../src/index.js";
import { loadPoliciesOrThrow } from "../src/node/index.js";
import type { Example, NamedRequest } from "./playground/example.js";

const root = new URL("../../", import.meta.url);
const pathOf = (path: string) => new URL(path, root).pathname;
const textOf = (path: string) => readFileSync(pathOf(path), "utf8");

const requests = textOf("examples/requests.jsonl")
  .trim()
  .split("\n")
  .map((line): NamedRequest => {
    const { example, expect: _, reasons: __, ...request } = JSON.parse(line);
    return { name: example, request };
  });

const shipped = await loadPoliciesOrThrow(pathOf("policies"));
const cerbos = await loadPoliciesOrThrow(pathOf("examples/cerbos/policies"), { platform: "none" });

function idOf(name: string, files: readonly PolicyFile[]): string {
  return `${name}@${createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 8)}`;
}

const examples: readonly Example[] = [
  {
    id: idOf("shipped", shipped.files),
    name: "The shipped policies of a key-management service",
    permissionOnly: false,
    files: shipped.files,
    requests,
  },
  {
    id: idOf("cerbos", cerbos.files),
    name: "A Cerbos repository, permission-only",
    permissionOnly: true,
    files: cerbos.files,
    requests: [{ name: "a manager approves an invoice", request: JSON.parse(textOf("examples/cerbos/request.json")) }],
  },
];
process.stdout.write(JSON.stringify(examples));
