/** Reads the keys, resources and accounts of `keyward matrix`, and tells which of them are refused. */

import { createHash, type Hash } from "node:crypto";
import type { MatrixAccount, MatrixEntry, MatrixKey, MatrixResource, OwnedResource } from "../audit/matrix/matrix.js";
import { isObject } from "../cel/json.js";
import type { JsonMap } from "../cel/values.js";
import { NO_ACCOUNT } from "../decisions/decide.js";
import { NO_KEY, NO_RESOURCE } from "../decisions/decider.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { PermissionRequest } from "../decisions/types.js";
import type { Layer } from "../engine/evaluate/layer.js";
import type { PrincipalInput, ResourceInput } from "../engine/plan/subjects.js";
import type { Streams } from "./exit.js";
import { type JsonText, readJsonValues } from "./json-values.js";
import { readInput } from "./read-input.js";
import { readRequest } from "./read-request.js";

/** An entry of the data that cannot be decided on. */
export interface RefusedEntry {
  readonly file: string;
  /** From 1, among the entries of the file. */
  readonly entry: number;
  readonly message: string;
}

export interface MatrixData {
  readonly keys: readonly MatrixEntry<MatrixKey>[];
  readonly resources: readonly OwnedResource[];
  readonly accounts: number;
  readonly refused: readonly RefusedEntry[];
  /** SHA-256 of the bytes of the files, in the order resources, keys, accounts. */
  readonly hash: string;
}

export interface MatrixFiles {
  readonly keys: string;
  readonly resources: string;
  readonly accounts: string | undefined;
  /** The attribute of a resource with the id of its account. */
  readonly accountBy: string;
}

export async function readMatrixData(policies: PolicySet, files: MatrixFiles, streams: Streams): Promise<MatrixData> {
  const hash = createHash("sha256");
  const refused: RefusedEntry[] = [];
  const read = async <P extends object>(file: string, what: Reader<P>): Promise<Entry<P>[]> => {
    const entries: Entry<P>[] = [];
    for (const json of await valuesOf(file, streams, hash)) {
      const entry = entryOf(json, what);
      if ("message" in entry) refused.push({ file, entry: entries.length + 1, message: entry.message });
      entries.push(entry);
    }
    return entries;
  };
  const resources = await read(files.resources, resourceReader(policies));
  const kinds = new Set(resources.flatMap(({ part }) => (part === undefined ? [] : [part.kind])));
  const keys = await read(files.keys, keyReader(policies, kinds));
  const accounts = files.accounts === undefined ? [] : await read(files.accounts, accountReader(policies, kinds));
  const byId = new Map(accounts.flatMap(({ id, part }) => (part === undefined ? [] : [[id, part] as const])));
  const owned = resources.map(({ id, part, kind }, i) => {
    const account = part && accountOf(part, files.accountBy, byId, accounts.length);
    if (part !== undefined && account === undefined && policies.platform !== undefined) {
      const message = `there is no account for it: its ${files.accountBy} is the id of none`;
      refused.push({ file: files.resources, entry: i + 1, message });
    }
    return { id, part, kind, account };
  });
  return { keys, resources: owned, accounts: accounts.length, refused, hash: `sha256:${hash.digest("hex")}` };
}

/** The account of a resource: the one that its attribute names, or the only one that there is. */
function accountOf(
  { attr }: MatrixResource,
  name: string,
  byId: ReadonlyMap<string, MatrixAccount>,
  count: number,
): MatrixAccount | undefined {
  const id: unknown = attr !== undefined && Object.hasOwn(attr, name) ? Reflect.get(attr, name) : undefined;
  if (typeof id === "string") return byId.get(id);
  const [only] = byId.values();
  return count === 1 ? only : undefined;
}

/** The JSON values of a file: one a line, or the items of a list. */
async function valuesOf(file: string, streams: Streams, hash: Hash): Promise<readonly JsonText[]> {
  const values: JsonText[] = [];
  for await (const json of readJsonValues(hashed(readInput(file, streams), hash))) values.push(json);
  const [only] = values;
  if (values.length !== 1 || only?.ok !== true || !Array.isArray(only.value)) return values;
  return only.value.map((value: unknown) => ({ ok: true, value }));
}

async function* hashed(pieces: AsyncIterable<string | Uint8Array>, hash: Hash): AsyncGenerator<string | Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

/** How entries of a file become parts of requests. */
interface Reader<P extends object> {
  /** A request with this part. */
  asked(value: unknown): object;
  /** A part of the request, and its faults by the schemas. */
  taken(request: PermissionRequest): { readonly part: P | undefined; readonly faults: readonly string[] };
}

interface Entry<P extends object> extends MatrixEntry<P> {
  readonly kind: string;
  readonly message?: string;
}

function entryOf<P extends object>(json: JsonText, { asked, taken }: Reader<P>): Entry<P> {
  if (!json.ok) return { id: "", kind: "", part: undefined, message: json.message };
  const { value } = json;
  const names = { id: textIn(value, "id"), kind: textIn(value, "kind") };
  const read = readRequest({ ok: true, value: asked(value) }, {});
  if (!read.ok) {
    const faults = read.invalid.invalid.map(({ path, message }) => `${path} ${message}`);
    return { ...names, part: undefined, message: faults.join("; ") };
  }
  const { part, faults } = taken(read.request);
  return faults.length === 0 ? { ...names, part } : { ...names, part: undefined, message: faults.join("; ") };
}

function textIn(value: unknown, name: string): string {
  const found = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof found === "string" ? found : "";
}

const OPERATION = "none";

function keyReader({ permission }: PolicySet, kinds: ReadonlySet<string>): Reader<MatrixKey> {
  return {
    asked: (value) => ({ key: value, operation: OPERATION, resource: NO_RESOURCE, account: NO_ACCOUNT }),
    taken: ({ key }) => ({ part: key, faults: subjectFaults(permission, attributesOf(key), kinds) }),
  };
}

function accountReader({ platform }: PolicySet, kinds: ReadonlySet<string>): Reader<MatrixAccount> {
  return {
    asked: (value) => ({ key: NO_KEY, operation: OPERATION, resource: NO_RESOURCE, account: value }),
    taken: ({ account }) => ({
      part: account,
      faults:
        platform === undefined || account === undefined ? [] : subjectFaults(platform, attributesOf(account), kinds),
    }),
  };
}

function resourceReader({ permission, platform }: PolicySet): Reader<MatrixResource> {
  return {
    asked: (value) => ({ key: NO_KEY, operation: OPERATION, resource: value, account: NO_ACCOUNT }),
    taken: ({ resource }) => {
      const { kind, id, scope = "" } = resource;
      const target = { kind, id, scope, attr: attributesOf(resource) };
      const layers = platform === undefined ? [permission] : [permission, platform];
      return { part: resource, faults: layers.flatMap((layer) => faultsIn(layer, "resource", { attr: {} }, target)) };
    },
  };
}

/** Each kind of resource may have a schema of its own for the key or the account. */
function subjectFaults(layer: Layer, attr: JsonMap, kinds: ReadonlySet<string>): readonly string[] {
  return [...kinds].flatMap((kind) =>
    faultsIn(layer, "principal", { attr }, { kind, id: "none", scope: "", attr: {} }),
  );
}

function faultsIn(
  layer: Layer,
  source: "principal" | "resource",
  ...[principal, resource]: [Pick<PrincipalInput, "attr">, ResourceInput]
): readonly string[] {
  return layer
    .schemaFaults(principal, resource, OPERATION)
    .filter((fault) => fault.source === source)
    .map(({ path, message }) => `attr${path === "/" ? "" : path} ${message}`);
}

function attributesOf({ attr }: { readonly attr?: object | undefined }): JsonMap {
  return isMap(attr) ? attr : {};
}

/** The data was read as JSON, so its attributes are. */
function isMap(attr: object | undefined): attr is JsonMap {
  return attr !== undefined && !Array.isArray(attr);
}
