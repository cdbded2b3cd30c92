/** Signs files with an Ed25519 private key in PEM form. */

import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import { printable } from "../policy/escape.js";
import { pathFrom } from "./directory.js";
import { type Streams, UsageError } from "./exit.js";
import { isFile, readGiven } from "./load-set.js";
import { writeOutput } from "./output-file.js";

/** The private key in a file. Throws a {@link UsageError} for any other file. */
export async function privateKeyIn(path: string): Promise<KeyObject> {
  const pem = await readGiven(path);
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(pem);
  } catch {
    // The error is not shown, since its text could contain part of the key.
  }
  if (key?.asymmetricKeyType !== "ed25519") throw new UsageError(`${path} is not an Ed25519 private key in PEM form`);
  return key;
}

/**
 * Writes a file, and its signature `FILE.sig` if there is a key. Without one, the signature of other content is removed.
 */
export async function writeSigned(
  file: string,
  text: string,
  key: KeyObject | undefined,
  { cwd, err }: Pick<Streams, "cwd" | "err">,
): Promise<void> {
  const signature = `${file}.sig`;
  // The signature is written first: an interrupted command leaves a file that is refused, never an unchecked one.
  if (key !== undefined) await writeOutput(signature, signatureOf(text, key), cwd);
  const isOther = key === undefined && !(await hasText(pathFrom(cwd, file), text));
  await writeOutput(file, text, cwd);
  if (isOther && (await isFile(pathFrom(cwd, signature)))) {
    await rm(pathFrom(cwd, signature));
    err(`${printable(signature)} is removed: it was the signature of another ${printable(basename(file))}\n`);
  }
}

async function hasText(path: string, text: string): Promise<boolean> {
  return (await isFile(path)) && (await readGiven(path)).equals(Buffer.from(text));
}

/** The signature of a text, as the content of a `.sig` file. */
function signatureOf(text: string, key: KeyObject): string {
  return `${sign(null, Buffer.from(text), key).toString("base64")}\n`;
}
