/** `keyward verify FILE`: whether a bundle is as it was built, and by whom. */

import * as E from "fp-ts/lib/Either.js";
import { readBundleText } from "../bundle/text.js";
import { headOf } from "../bundle/unpack.js";
import { printable } from "../policy/escape.js";
import { readArguments } from "./arguments.js";
import { EXIT, type ExitCode, type Streams, UsageError } from "./exit.js";
import { faultLine, readGiven, signedBy } from "./load-set.js";

export const VERIFY_USAGE = "keyward verify FILE --public-key FILE [--signature FILE]";

const OPTIONS = { "public-key": { type: "string" }, signature: { type: "string" } } as const;

export async function verify(args: readonly string[], { out, err }: Streams): Promise<ExitCode> {
  const { texts, positionals } = readArguments(args, OPTIONS, 1);
  const [path] = positionals;
  const keyFile = texts.get("public-key");
  if (path === undefined || keyFile === undefined) throw new UsageError(`usage: ${VERIFY_USAGE}`);
  const source = await readGiven(path);
  const read = await readBundleText(source, await signedBy(path, keyFile, texts.get("signature")));
  if (E.isLeft(read)) {
    err(`${faultLine(path, read.left)}\n`);
    return EXIT.failures;
  }
  const { hash, version, texts: packed } = read.right;
  const [permission, platform] = headOf(packed).versions;
  out(`${printable(`${path}: genuine, ${hash}, version ${version}, layers ${permission} ${platform ?? "(none)"}`)}\n`);
  return EXIT.ok;
}
