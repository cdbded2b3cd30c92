/** Reads the keys, resources and accounts of `keyward matrix`, and tells which of them are refused. */

import { createHash } from "node:crypto";
import type {
  MatrixAccount,
  MatrixEntry,
  MatrixKey,
  MatrixResource,
  OwnedResource,
} from "../../audit/matrix/matrix.js";
import { isObject, type JsonObject } from "../../cel/json.js";
import type { JsonMap } from "../../cel/values.js";
import { NO_ACCOUNT } from "../../decisions/decide.js";
import { NO_KEY, NO_RESOURCE } from "../../decisions/decider.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { issueText } from "../../decisions/request-issues.js";
import type { PermissionRequest } from "../../decisions/types.js";
import type { Layer } from "../../engine/evaluate/layer.js";
import type { PrincipalInput, ResourceInput } from "../../engine/plan/subjects.js";
import type { Streams } from "../exit.js";
import type { JsonText } from "../json-values.js";
import { readRequest } from "../read-request.js";
import { columnTypes, type EntryPart } from "./column-types.js";
import { isQuery, MatrixDatabase } from "./postgres.js";
import { type SourceReaders, sourceEntries } from "./sources.js";

/** An entry of the data that cannot be decided on. */
export interface RefusedEntry {
  readonly file: string;
  /** From 1, among the entries of the file. */
  readonly entry: number;
  /** From 1: its line in the file. Absent for an item of a list, and for a row of a query. */
  readonly line?: number;
  readonly message: string;
}

export interface MatrixData {
  readonly keys: readonly MatrixEntry<MatrixKey>[];
  readonly resources: readonly OwnedResource[];
  readonly accounts: number;
  readonly refused: readonly RefusedEntry[];
  /** SHA-256 of the bytes of the files and the rows of the queries, in the order resources, keys, accounts. */
  readonly hash: string;
}

/** The sources of the data, as {@link sourceEntries} reads them. */
export interface MatrixFiles {
  readonly keys: string;
  readonly resources: string;
  readonly accounts: string | undefined;
  /** The attribute of a resource with the id of its account. */
  readonly accountBy: string;
}

export async function readMatrixData(policies: PolicySet, files: MatrixFiles, streams: Streams): Promise<MatrixData> {
  const database = new MatrixDatabase();
  try {
    return await dataIn(policies, files, { streams, database, hash: createHash("sha256") });
  } finally {
    await database.close();
  }
}

async function dataIn(policies: PolicySet, files: MatrixFiles, readers: SourceReaders): Promise<MatrixData> {
  const refused: RefusedEntry[] = [];
  const read = async <P extends object>(file: string, part: EntryPart, reader: EntryReader<P>) => {
    const entries: Entry<P>[] = [];
    const first = new Map<string, number>();
    let entry = 0;
    for await (const { json, line } of sourceEntries(file, columnTypes(policies, part), readers)) {
      entry += 1;
      const place = { file: sourceName(file, part), entry, ...(line === undefined ? {} : { line }) };
      const found = entryOf(json, reader);
      const name = part === "resource" ? JSON.stringify([found.kind, found.id]) : found.id;
      const earlier = first.get(name);
      const message = found.message ?? (earlier === undefined ? undefined : `its id is that of entry ${earlier}`);
      if (message !== undefined) refused.push({ ...place, message });
      // A second row or column with the same name would contradict the first one.
      if (earlier !== undefined) continue;
      first.set(name, entry);
      entries.push({ ...found, place });
    }
    return entries;
  };
  const resources = await read(files.resources, "resource", resourceReader(policies));
  const kinds = new Set(resources.flatMap(({ part }) => (part === undefined ? [] : [part.kind])));
  const keys = await read(files.keys, "key", keyReader(policies, kinds));
  const refusedBefore = refused.length;
  const accounts =
    files.accounts === undefined ? [] : await read(files.accounts, "account", accountReader(policies, kinds));
  const byId = new Map(accounts.flatMap(({ id, part }) => (part === undefined ? [] : [[id, part] as const])));
  // Beside an account that is refused, no other is the only one.
  const [only] = accounts.length === 1 && refused.length === refusedBefore ? byId.values() : [];
  const owned = resources.map(({ id, part, kind, place }) => {
    const account = part && accountOf(part, files.accountBy, byId, only);
    if (part !== undefined && account === undefined && policies.platform !== undefined) {
      refused.push({ ...place, message: `there is no account for it: its ${files.accountBy} is the id of none` });
    }
    return { id, part, kind, account };
  });
  const hash = `sha256:${readers.hash.digest("hex")}`;
  return { keys, resources: owned, accounts: accounts.length, refused, hash };
}

/** The text of a query stays out of messages. */
function sourceName(file: string, part: EntryPart): string {
  return isQuery(file) ? `the query of the ${part}s` : file;
}

/** The account of a resource: the one that its attribute names, or the only one. */
function accountOf(
  { attr }: MatrixResource,
  name: string,
  byId: ReadonlyMap<string, MatrixAccount>,
  only: MatrixAccount | undefined,
): MatrixAccount | undefined {
  const id: unknown = attr !== undefined && Object.hasOwn(attr, name) ? Reflect.get(attr, name) : undefined;
  return typeof id === "string" ? byId.get(id) : only;
}

/** Both layers may name one schema, whose faults are then the same. */
function messageOf(faults: readonly string[]): string {
  return [...new Set(faults)].join("; ");
}

/** How entries of a file become parts of requests. */
interface EntryReader<P extends object> {
  /** A request with this part. */
  asked(value: unknown): object;
  /** A part of the request, and its faults by the schemas. */
  taken(request: PermissionRequest): { readonly part: P | undefined; readonly faults: readonly string[] };
}

interface ReadEntry<P extends object> extends MatrixEntry<P> {
  readonly kind: string;
  readonly message?: string;
}

interface Entry<P extends object> extends ReadEntry<P> {
  readonly place: Omit<RefusedEntry, "message">;
}

function entryOf<P extends object>(json: JsonText, { asked, taken }: EntryReader<P>): ReadEntry<P> {
  const nameless = { id: "", kind: "", part: undefined };
  if (!json.ok) return { ...nameless, message: json.message };
  const { value } = json;
  if (!isObject(value)) return { ...nameless, message: "it must be an object" };
  const names = { id: textIn(value, "id"), kind: textIn(value, "kind") };
  const read = readRequest({ ok: true, value: asked(value) }, {});
  if (!read.ok) {
    const faults = read.invalid.invalid.map(issueText);
    return { ...names, part: undefined, message: messageOf(faults) };
  }
  const { part, faults } = taken(read.request);
  return faults.length === 0 ? { ...names, part } : { ...names, part: undefined, message: messageOf(faults) };
}

function textIn(value: JsonObject, name: string): string {
  const found = Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof found === "string" ? found : "";
}

const OPERATION = "none";

function keyReader(policies: PolicySet, kinds: ReadonlySet<string>): EntryReader<MatrixKey> {
  return { asked: askedKey, taken: ({ key }) => ({ part: key, faults: keyFaults(policies, key, kinds) }) };
}

/** A request by what may be a key. */
export function askedKey(value: unknown): object {
  return { key: value, operation: OPERATION, resource: NO_RESOURCE, account: NO_ACCOUNT };
}

/** The faults of a key by the schemas, on resources of some kinds. */
export function keyFaults(
  { permission }: PolicySet,
  key: PermissionRequest["key"],
  kinds: Iterable<string>,
): readonly string[] {
  return subjectFaults(permission, attributesOf(key), kinds);
}

function accountReader({ platform }: PolicySet, kinds: ReadonlySet<string>): EntryReader<MatrixAccount> {
  return {
    asked: (value) => ({ key: NO_KEY, operation: OPERATION, resource: NO_RESOURCE, account: value }),
    taken: ({ account }) => ({
      part: account,
      faults:
        platform === undefined || account === undefined ? [] : subjectFaults(platform, attributesOf(account), kinds),
    }),
  };
}

function resourceReader({ permission, platform }: PolicySet): EntryReader<MatrixResource> {
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
function subjectFaults(layer: Layer, attr: JsonMap, kinds: Iterable<string>): readonly string[] {
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
