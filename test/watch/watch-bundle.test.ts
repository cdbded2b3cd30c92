/** Watched bundles, replaced while they are in force: from a file and from a URL. */

import { generateKeyPairSync, sign } from "node:crypto";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BundleError } from "../../src/bundle/load.js";
import { bundleText } from "../../src/bundle/module.js";
import { decide } from "../../src/index.js";
import { type BundleEvent, type WatchBundleOptions, watchBundle } from "../../src/watch/bundles.js";
import { compiled, shipped, shippedFiles } from "../support/policies.js";
import { ask } from "../support/requests.js";
import { withFiles } from "../support/terminal.js";

/** The shipped policies without one prohibition. */
const OTHER = compiled(
  shippedFiles.map(({ path, text }) => ({ path, text: text.replaceAll("delete_protected", "delete_refused") })),
);
const REQUEST = ask("apis.deleteApi", { resource: { deleteProtection: true } });
const HOUR = 3_600_000;

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const PEM = publicKey.export({ type: "spki", format: "pem" }).toString();
const signatureOf = (text: string) => sign(null, Buffer.from(text), privateKey).toString("base64");

const [ONE, TWO, THREE] = [
  await bundleText(shipped, { version: 1 }),
  await bundleText(OTHER, { version: 2 }),
  await bundleText(shipped, { version: 3 }),
];

function said(events: readonly BundleEvent[]): readonly string[] {
  return events.map((event) => (event.kind === "taken" ? `taken ${event.version}` : `refused ${event.fault.kind}`));
}

function listening(): { readonly events: BundleEvent[]; readonly options: WatchBundleOptions } {
  const events: BundleEvent[] = [];
  return { events, options: { intervalMs: HOUR, onEvent: (event) => void events.push(event) } };
}

test("a file: the newer is taken, what is damaged or older changes nothing, and is told once", async () => {
  await withFiles({ "policies.mjs": ONE }, async (directory) => {
    const path = join(directory, "policies.mjs");
    const { events, options } = listening();
    const watched = await watchBundle(path, options);
    const by = async (text: string) => {
      writeFileSync(path, text);
      await watched.reload();
      await watched.reload();
      return decide(watched.set, REQUEST).platform.reasons.map(({ reason }) => reason);
    };
    expect(await by(ONE)).toEqual(["delete_protected"]);
    expect(await by(TWO)).toEqual(["delete_refused"]);
    expect(await by(ONE)).toEqual(["delete_refused"]);
    expect(await by(THREE.slice(0, -10))).toEqual(["delete_refused"]);
    expect(await by("")).toEqual(["delete_refused"]);
    expect(watched.version).toBe(2);
    expect(await by(THREE)).toEqual(["delete_protected"]);
    expect(said(events)).toEqual(["taken 2", "refused older", "refused damaged", "refused not_a_bundle", "taken 3"]);
    await watched.stop();
  });
});

test("a file that must be signed: until its signature is there, too, the bundle before stays", async () => {
  await withFiles({ "policies.mjs": ONE, "policies.mjs.sig": signatureOf(ONE) }, async (directory) => {
    const path = join(directory, "policies.mjs");
    const { events, options } = listening();
    const watched = await watchBundle(path, { ...options, publicKey: PEM });
    writeFileSync(path, TWO);
    await watched.reload();
    expect(watched.version).toBe(1);
    writeFileSync(`${path}.sig`, signatureOf(TWO));
    await watched.reload();
    expect(watched.version).toBe(2);
    expect(said(events)).toEqual(["refused forged", "taken 2"]);
    await watched.stop();
  });
});

test("options that an instance inherits count: its key and its least version", async () => {
  await withFiles({ "policies.mjs": ONE }, async (directory) => {
    const path = join(directory, "policies.mjs");
    const { options } = listening();
    for (const [inherited, kind] of [
      [{ publicKey: PEM }, "unsigned"],
      [{ minVersion: 5 }, "older"],
    ] as const) {
      const given: typeof options = Object.assign(Object.create(inherited), options);
      await expect(watchBundle(path, given)).rejects.toMatchObject({ fault: { kind } });
    }
  });
});

test("an address is asked for what is not known yet; where it does not answer, the bundle in force stays", async () => {
  const asked: string[] = [];
  let answer = (): Response => new Response(ONE, { headers: { etag: '"1"' } });
  const { events, options } = listening();
  const ask: typeof fetch = async (input, init) => {
    const known = new Headers(init?.headers).get("if-none-match");
    asked.push(`${input} ${known ?? ""}`);
    const response = answer();
    return response.headers.get("etag") === known ? new Response(null, { status: 304 }) : response;
  };
  const watched = await watchBundle("https://policies.example.com/p.mjs?a=1", { ...options, fetch: ask });
  const { set } = watched;
  await watched.reload();
  expect(watched.set).toBe(set);
  answer = () => new Response("down", { status: 503 });
  await watched.reload();
  answer = () => {
    throw new Error("no network");
  };
  await watched.reload();
  expect(watched.set).toBe(set);
  answer = () => new Response(TWO, { headers: { etag: '"2"' } });
  await watched.reload();
  expect(watched.version).toBe(2);
  const address = "https://policies.example.com/p.mjs?a=1";
  expect(asked).toEqual([`${address} `, `${address} "1"`, `${address} "1"`, `${address} `, `${address} `]);
  expect(said(events)).toEqual(["refused unreachable", "refused unreachable", "taken 2"]);
  await watched.stop();
});

test("the signature of an address is asked for under its path", async () => {
  const { options } = listening();
  const asked: string[] = [];
  const answering = (signature: Response): typeof fetch => {
    return async (input) => {
      asked.push(String(input));
      return String(input).includes(".sig") ? signature : new Response(ONE);
    };
  };
  const address = new URL("https://policies.example.com/p.mjs?a=1");
  const signed = { ...options, publicKey: PEM, fetch: answering(new Response(signatureOf(ONE))) };
  await (await watchBundle(address, signed)).stop();
  expect(asked).toEqual(["https://policies.example.com/p.mjs?a=1", "https://policies.example.com/p.mjs.sig?a=1"]);
  const unsigned = { ...options, publicKey: PEM, fetch: answering(new Response("", { status: 404 })) };
  await expect(watchBundle(address, unsigned)).rejects.toMatchObject({ fault: { kind: "unsigned" } });
});

test("without a bundle to begin with there is none", async () => {
  const { options } = listening();
  await expect(watchBundle("/nowhere/policies.mjs", options)).rejects.toBeInstanceOf(BundleError);
  await withFiles({ "policies.mjs": ONE }, async (directory) => {
    const path = join(directory, "policies.mjs");
    await expect(watchBundle(path, { ...options, minVersion: 2 })).rejects.toMatchObject({ fault: { kind: "older" } });
    await expect(watchBundle(path, { ...options, platform: "none" })).rejects.toMatchObject({
      fault: { kind: "layers" },
    });
  });
});

test("what options leave unclear is refused before anything is read", async () => {
  const { options } = listening();
  const fetch: typeof globalThis.fetch = () => Promise.reject(new Error("it was asked"));
  for (const [more, kind] of [
    [{ publicKey: undefined }, "unsigned"],
    [{ publicKey: undefined, unsigned: true }, "unsigned"],
    [{ publicKey: PEM, unsigned: true }, "unsigned"],
    [{ unsigned: true }, "unreachable"],
    [{}, "unreachable"],
  ] as const) {
    // @ts-expect-error: a key must not be undefined.
    const watched = watchBundle("https://policies.example.com/p.mjs", { ...options, fetch, ...more });
    await expect(watched, JSON.stringify(more)).rejects.toMatchObject({ fault: { kind } });
  }
});

/** An endless stream; `taken` counts the bytes read, and tells whether the reader gave up. */
function endless(piece: number) {
  const taken = { bytes: 0, isGivenUp: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      taken.bytes += piece;
      controller.enqueue(new Uint8Array(piece));
    },
    cancel() {
      taken.isGivenUp = true;
    },
  });
  return { taken, body };
}

const MB = 1024 * 1024;

test.each<readonly [what: string, piece: number, most: number]>([
  ["bundle", MB, 64 * MB],
  ["signature", 100, 1024],
])("an answer without an end is given up: a %s", async (what, piece, most) => {
  const { options } = listening();
  const { taken, body } = endless(piece);
  const fetch: typeof globalThis.fetch = async (input) => {
    return new Response(String(input).endsWith(".sig") === (what === "signature") ? body : ONE);
  };
  const watched = watchBundle("https://policies.example.com/p.mjs", { ...options, publicKey: PEM, fetch });
  const message = `it cannot be read: it has more than ${most} bytes`;
  await expect(watched).rejects.toMatchObject({ fault: { kind: "unreachable", message } });
  expect(taken.isGivenUp).toBe(true);
  expect(taken.bytes).toBeLessThanOrEqual(most + 3 * piece);
});

test("a file that is too long is not read to its end, nor is its signature", async () => {
  const { options } = listening();
  await withFiles({ "policies.mjs": ONE, "policies.mjs.sig": signatureOf(ONE) }, async (directory) => {
    const path = join(directory, "policies.mjs");
    const signed = { ...options, publicKey: PEM };
    truncateSync(`${path}.sig`, 1025);
    await expect(watchBundle(path, signed)).rejects.toMatchObject({ fault: { kind: "unreachable" } });
    writeFileSync(`${path}.sig`, signatureOf(ONE).padEnd(1024));
    await (await watchBundle(path, signed)).stop();
    truncateSync(path, 64 * MB + 1);
    await expect(watchBundle(path, options)).rejects.toMatchObject({ fault: { kind: "unreachable" } });
  });
});
