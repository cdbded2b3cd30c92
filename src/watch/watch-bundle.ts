/** Follows a bundle in a file or at an address, and replaces its policies while requests are decided. */

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { BundleData, BundleFault } from "../bundle/bundle.js";
import {
  BUNDLE_OPTIONS,
  BundleError,
  type BundleOptions,
  DAMAGED,
  layersFault,
  type PermissionBundle,
  setOf,
} from "../bundle/load.js";
import { SIGNER_OPTIONS, type Signer, signerFault } from "../bundle/signature.js";
import { readBundleText } from "../bundle/text.js";
import { givenGlobals } from "../decisions/configuration.js";
import type { PermissionSet, PolicySet } from "../decisions/policy-set.js";
import type { PolicyTypes } from "../decisions/policy-types.js";
import { FULL_EQUIPMENT } from "../engine/evaluate/full-equipment.js";
import { CALLBACK, checkOptions, DELAY, type OptionTable, required } from "../policy/options.js";

export type BundleEvent =
  | { readonly kind: "taken"; readonly hash: string; readonly version: number; readonly before: string }
  /** The set in force stays. */
  | { readonly kind: "refused"; readonly fault: BundleFault; readonly inForce: string };

/** With a `publicKey`, the signature is read from beside the bundle: its path followed by `.sig`. */
export interface WatchBundleOptions extends BundleOptions, Signer {
  /**
   * Called when a bundle is taken over or refused. A refusal that repeats for the same reason is reported once. Must not
   * throw.
   */
  readonly onEvent: (event: BundleEvent) => void;
  /** The pause between two looks, in milliseconds. Default: 5000. */
  readonly intervalMs?: number;
  /** Fetches from addresses. Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
}

const WATCH_BUNDLE_OPTIONS = {
  ...BUNDLE_OPTIONS,
  ...SIGNER_OPTIONS,
  onEvent: required(CALLBACK),
  intervalMs: DELAY,
  fetch: CALLBACK,
} satisfies OptionTable<WatchBundleOptions>;

export interface WatchedBundle<Set extends PolicySet = PolicySet> {
  /** The set in force. Read this anew for each decision. */
  readonly set: Set;
  /** The version of the bundle in force. */
  readonly version: number;
  /** Looks now. */
  reload(): Promise<void>;
  /** Ends the watch. The set in force stays. */
  stop(): Promise<void>;
}

/**
 * Loads a bundle from a path or an address (`https:` or `http:`) and follows it. A bundle that is refused, or older
 * than the one in force, changes nothing. Rejects with a `BundleError` if the first load fails, and with a `TypeError`
 * for an unknown option or an invalid value.
 */
export function watchBundle<T extends PolicyTypes = PolicyTypes>(
  source: string | URL,
  options: WatchBundleOptions & PermissionBundle,
): Promise<WatchedBundle<PermissionSet<T>>>;
export function watchBundle<T extends PolicyTypes = PolicyTypes>(
  source: string | URL,
  options: WatchBundleOptions,
): Promise<WatchedBundle<PolicySet<T>>>;
export async function watchBundle(source: string | URL, options: WatchBundleOptions): Promise<WatchedBundle> {
  checkOptions(options, WATCH_BUNDLE_OPTIONS);
  const place = bundleSourceOf(source, options);
  const first = await look(place, undefined, options);
  if (first.kind !== "taken") throw new BundleError(first.kind === "refused" ? first.fault : UNREACHABLE);
  const live = new LiveBundle(place, options, first);
  return live;
}

const UNREACHABLE: BundleFault = { kind: "unreachable", message: "there is nothing to read" };

/** Most bytes read of a bundle and of a signature. The data cannot be verified before all of it has been read. */
const MAX_BUNDLE = 64 * 1024 * 1024;
const MAX_SIGNATURE = 1024;

/** How long an address may take to answer, in milliseconds. */
const FETCH_TIMEOUT_MS = 30_000;

class LiveBundle implements WatchedBundle {
  private readonly place: BundleSource;
  private readonly options: WatchBundleOptions;
  private inForce: TakenBundle;
  private refused = "";
  private looking: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private ended = false;

  constructor(place: BundleSource, options: WatchBundleOptions, first: TakenBundle) {
    this.place = place;
    this.options = options;
    this.inForce = first;
    this.wait();
  }

  get set(): PolicySet {
    return this.inForce.set;
  }

  get version(): number {
    return this.inForce.data.version;
  }

  reload(): Promise<void> {
    this.looking = this.looking.then(() => this.reloadNow());
    return this.looking;
  }

  async stop(): Promise<void> {
    this.ended = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  private wait(): void {
    if (this.ended) return;
    const { intervalMs = 5_000 } = this.options;
    this.timer = setTimeout(() => void this.reload().then(() => this.wait()), intervalMs);
    this.timer.unref();
  }

  private async reloadNow(): Promise<void> {
    const { data, mark } = this.inForce;
    // After a refusal, read the bundle again even if it is unchanged: its signature may have arrived later.
    const known = this.refused === "" ? mark : undefined;
    const { minVersion = 0 } = this.options;
    const since = { ...this.options, minVersion: Math.max(minVersion, data.version) };
    const seen = await look(this.place, known, since);
    if (seen.kind === "refused") {
      const { kind, message } = seen.fault;
      if (this.refused === `${kind} ${message}`) return;
      this.refused = `${kind} ${message}`;
      this.options.onEvent({ kind: "refused", fault: seen.fault, inForce: data.hash });
      return;
    }
    this.refused = "";
    if (seen.kind === "same") return;
    this.inForce = seen;
    const { hash, version } = seen.data;
    if (hash === data.hash && version === data.version) return;
    this.options.onEvent({ kind: "taken", hash, version, before: data.hash });
  }
}

interface TakenBundle {
  readonly kind: "taken";
  readonly set: PolicySet;
  readonly data: BundleData;
  readonly mark: string | undefined;
}

type BundleLook = TakenBundle | { readonly kind: "same" } | { readonly kind: "refused"; readonly fault: BundleFault };

/** Looks once. `known` is the mark of the bundle in force; undefined reads the bundle in any case. */
async function look(place: BundleSource, known: string | undefined, options: WatchBundleOptions): Promise<BundleLook> {
  const unclear = signerFault(options);
  if (unclear !== undefined) return { kind: "refused", fault: unclear };
  try {
    const found = await place.read(known);
    if (found === undefined) return { kind: "same" };
    // A copy of the options would lose those that an instance of a class inherits, the key among them.
    const { publicKey, minVersion } = options;
    const read = await readBundleText(found.bytes, {
      ...(minVersion === undefined ? {} : { minVersion }),
      ...(publicKey === undefined ? {} : { publicKey, signature: await place.signature() }),
    });
    if (read._tag === "Left") return { kind: "refused", fault: read.left };
    const data = read.right;
    const fault = layersFault(data, options);
    if (fault !== undefined) return { kind: "refused", fault };
    return { kind: "taken", set: setIn(data, options), data, mark: found.mark };
  } catch (error) {
    if (error instanceof BundleError) return { kind: "refused", fault: error.fault };
    const message = `it cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return { kind: "refused", fault: { kind: "unreachable", message } };
  }
}

function setIn(data: BundleData, options: BundleOptions): PolicySet {
  const globals = givenGlobals(options.globals);
  try {
    return setOf(data, FULL_EQUIPMENT, globals);
  } catch {
    throw new BundleError(DAMAGED);
  }
}

/** A path or an address of a bundle. Its methods throw if it cannot be read. */
interface BundleSource {
  /** Undefined if the bundle still has the mark `known`. */
  read(
    known: string | undefined,
  ): Promise<{ readonly bytes: Uint8Array; readonly mark: string | undefined } | undefined>;
  /** The text of the signature file; undefined if there is none. */
  signature(): Promise<string | undefined>;
}

function bundleSourceOf(source: string | URL, { fetch: ask = fetch }: WatchBundleOptions): BundleSource {
  const address = source instanceof URL ? source : /^https?:\/\//i.test(source) ? new URL(source) : source;
  if (address instanceof URL && address.protocol !== "file:") return new BundleAddressSource(address, ask);
  return new BundleFileSource(address);
}

class BundleFileSource implements BundleSource {
  private readonly path: string | URL;

  constructor(path: string | URL) {
    this.path = path;
  }

  async read(known: string | undefined) {
    const { mtimeMs, ctimeMs, size, ino } = await stat(this.path);
    const mark = [mtimeMs, ctimeMs, size, ino].join(" ");
    return mark === known ? undefined : { bytes: await bytesIn(this.path, MAX_BUNDLE), mark };
  }

  async signature(): Promise<string | undefined> {
    try {
      return decoder.decode(await bytesIn(signatureLocation(this.path), MAX_SIGNATURE));
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }
}

class BundleAddressSource implements BundleSource {
  private readonly address: URL;
  private readonly ask: typeof fetch;

  constructor(address: URL, ask: typeof fetch) {
    this.address = address;
    this.ask = ask;
  }

  async read(known: string | undefined) {
    const headers: { [name: string]: string } = known === undefined ? {} : { "if-none-match": known };
    const response = await this.ask(this.address, { headers, signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    if (response.status === 304 && known !== undefined) return undefined;
    if (!response.ok) throw new Error(`the answer is ${response.status}`);
    const mark = response.headers.get("etag") ?? undefined;
    return { bytes: await bytesOf(response.body ?? [], MAX_BUNDLE), mark };
  }

  async signature(): Promise<string | undefined> {
    const response = await this.ask(signatureLocation(this.address), { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`the answer for the signature is ${response.status}`);
    return decoder.decode(await bytesOf(response.body ?? [], MAX_SIGNATURE));
  }
}

/** The limit also holds for a file that grows while it is read. */
function bytesIn(path: string | URL, most: number): Promise<Uint8Array> {
  return bytesOf(createReadStream(path, { end: most }), most);
}

/** All bytes of a stream. Throws beyond `most` bytes, which leaves the loop and so cancels the stream. */
async function bytesOf(stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > most) throw new Error(`it has more than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const decoder = new TextDecoder();

/** The path or address of a bundle's signature. */
function signatureLocation(place: URL): URL;
function signatureLocation(place: string | URL): string | URL;
function signatureLocation(place: string | URL): string | URL {
  if (typeof place === "string") return `${place}.sig`;
  const found = new URL(place);
  found.pathname += ".sig";
  return found;
}
