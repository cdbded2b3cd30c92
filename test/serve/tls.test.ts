/**
 * TLS of `keyward serve`: the certificate is replaced while it runs. Needs openssl.
 *
 * @module-tag long
 */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { refused, serving, waitFor } from "./support.js";

describe.skipIf(!existsSync("/usr/bin/openssl"))("TLS (skipped without openssl)", () => {
  let home = "";
  const pathOf = (name: string) => join(home, name);

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "keyward-tls-"));
    for (const name of ["one", "two"]) {
      const subject = ["-subj", `/CN=${name}`, "-addext", "subjectAltName=IP:127.0.0.1"];
      const files = ["-keyout", pathOf(`${name}.key`), "-out", pathOf(`${name}.pem`)];
      const algorithm = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
      execFileSync("openssl", ["req", "-x509", ...algorithm, ...files, ...subject], { stdio: "ignore" });
    }
  });
  afterAll(() => rm(home, { recursive: true }));

  async function use(name: string): Promise<void> {
    await copyFile(pathOf(`${name}.pem`), pathOf("cert.pem"));
    await copyFile(pathOf(`${name}.key`), pathOf("key.pem"));
  }

  const ARGS = () => ["--tls-cert", pathOf("cert.pem"), "--tls-key", pathOf("key.pem"), "--listen", "127.0.0.1:0"];

  /** The name in the certificate of a new connection. */
  const servedBy = (origin: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({ port: Number(new URL(origin).port), host: "127.0.0.1", rejectUnauthorized: false });
      socket.once("secureConnect", () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      });
      socket.once("error", reject);
    });

  const metadataOf = async (origin: string, name: string) => {
    const ca = await readFile(pathOf(`${name}.pem`));
    return await new Promise<string>((resolve, reject) => {
      const sent = request(`${origin}/.well-known/authzen-configuration`, { ca, agent: false }, (response) => {
        response.on("data", (data) => resolve(String(data)));
      });
      sent.once("error", reject);
      sent.end();
    });
  };

  test("serves https, and takes a new certificate over at SIGHUP", async () => {
    await use("one");
    await serving(ARGS(), async ({ origin, log }) => {
      expect(origin).toMatch(/^https:/);
      expect(JSON.parse(await metadataOf(origin, "one")).policy_decision_point).toBe(origin);
      await use("two");
      process.emit("SIGHUP", "SIGHUP");
      await waitFor(() => log().find(({ event }) => event === "certificate taken"));
      expect(await servedBy(origin)).toBe("two");
      expect(JSON.parse(await metadataOf(origin, "two")).policy_decision_point).toBe(origin);
      await expect(metadataOf(origin, "one")).rejects.toThrow();
    });
  });

  test("a certificate that does not fit its key is refused; the one in force stays", async () => {
    await use("one");
    await serving(ARGS(), async ({ origin, log }) => {
      await copyFile(pathOf("two.pem"), pathOf("cert.pem"));
      process.emit("SIGHUP", "SIGHUP");
      await waitFor(() => log().find(({ event }) => event === "certificate refused"));
      await writeFile(pathOf("cert.pem"), "-----BEGIN CERTIFICATE-----\n");
      process.emit("SIGHUP", "SIGHUP");
      await waitFor(() => log().filter(({ event }) => event === "certificate refused")[1]);
      expect(await servedBy(origin)).toBe("one");
    });
  });

  test("new files are taken over without a signal, also behind a link that is swapped", async () => {
    await use("one");
    await rename(pathOf("cert.pem"), pathOf("old.pem"));
    await symlink(pathOf("old.pem"), pathOf("cert.pem"));
    await serving(ARGS(), async ({ origin }) => {
      await symlink(pathOf("two.pem"), pathOf("next.pem"));
      await rename(pathOf("next.pem"), pathOf("cert.pem"));
      await copyFile(pathOf("two.key"), pathOf("key.pem"));
      await waitFor(async () => ((await servedBy(origin)) === "two" ? true : undefined));
    });
    await rm(pathOf("cert.pem"));
  });

  test("does not start with a key that does not fit, or without a file", async () => {
    await use("one");
    await copyFile(pathOf("two.key"), pathOf("key.pem"));
    expect(await refused(ARGS())).toMatchObject({ code: 2, err: expect.stringContaining("cannot use ") });
    await rm(pathOf("key.pem"));
    expect(await refused(ARGS())).toMatchObject({ code: 2, err: expect.stringContaining("ENOENT") });
  });
});
