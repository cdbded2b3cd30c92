/** The certificate of a server and its key, which are replaced while it runs. */

import { unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { PointConfigurationError } from "./read-files.js";

/** Paths of files in PEM form. */
export interface TlsPaths {
  readonly cert: string;
  readonly key: string;
}

export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Rejects with a {@link PointConfigurationError} if a file cannot be read, or the key is not that of the certificate. */
export async function readTls(paths: TlsPaths): Promise<TlsFiles> {
  try {
    const files = { cert: await readFile(paths.cert), key: await readFile(paths.key) };
    createSecureContext(files);
    return files;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new PointConfigurationError(`cannot use ${paths.cert} with ${paths.key}: ${message}`);
  }
}

const INTERVAL_MS = 2_000;

/** Calls `onChange` when a file changes, or the file that it links to. Returns a function that ends that. */
export function watchTls({ cert, key }: TlsPaths, onChange: () => void): () => void {
  for (const path of [cert, key]) watchFile(path, { interval: INTERVAL_MS, persistent: false }, onChange);
  return () => {
    for (const path of [cert, key]) unwatchFile(path, onChange);
  };
}
