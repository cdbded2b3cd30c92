/** `keyward verify FILE`: has the given key signed a bundle or evidence, and does a bundle match its own policies? */

import * as E from "fp-ts/lib/Either.js";
import { signatureFault } from "../bundle/signature.js";
import { readBundleText } from "../bundle/text.js";
import { headOf } from "../bundle/unpack.js";
import { printable } from "../policy/escape.js";
import { type Arguments, argumentOf, readArguments, requiredOption } from "./arguments.js";
import { rebuildFault } from "./bundle-rebuild.js";
import { evidenceIn } from "./evidence-file.js";
import { EXIT, type ExitCode, endedBy, type Streams } from "./exit.js";
import { faultLine, readGiven, signedBy } from "./load-set.js";
import { intoFile, OUTPUT_OPTION } from "./output-file.js";
import { SET_OPTIONS } from "./policy-options.js";
import type { Usage } from "./usage.js";

export const VERIFY: Usage = {
  name: "verify",
  takes: ["FILE --public-key FILE"],
  does: "Checks that a bundle, or the evidence of a review, is signed by the key (default signature: FILE.sig), and that a bundle, with its functions, is exactly the build of its policies.",
  options: {
    "public-key": SET_OPTIONS["public-key"],
    signature: { value: "FILE", does: "the signature" },
    output: OUTPUT_OPTION,
  },
};

export function verify(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return intoFile(readArguments(args, VERIFY, 1), streams, verified);
}

async function verified(given: Arguments, { out, err }: Streams): Promise<ExitCode> {
  const path = argumentOf(given, 0, "FILE");
  const keyFile = requiredOption(given, "public-key");
  const source = await readGiven(path);
  if (isJson(source)) return await evidenceVerified(given, path, source, { out, err });
  const read = await readBundleText(source, await signedBy(path, keyFile, given.texts.get("signature")));
  const fault = E.isLeft(read) ? read.left : await rebuildFault(source);
  if (E.isLeft(read) || fault !== undefined) {
    if (fault !== undefined) err(`${faultLine(path, fault)}\n`);
    return endedBy("verify", EXIT.failures, `${path} is refused`, { err });
  }
  const { hash, version, texts: packed } = read.right;
  const { permissionVersion, platformVersion } = headOf(packed).configuration;
  const layers = `layers ${permissionVersion} ${platformVersion ?? "(none)"}`;
  out(
    `${printable(`${path}: genuine, ${hash}, version ${version}, ${layers}, functions as built from its policies`)}\n`,
  );
  return EXIT.ok;
}

/** Evidence is a JSON object; a bundle is a module. */
function isJson(source: Buffer): boolean {
  return /^\s*\{/.test(source.toString("utf8", 0, 1_000));
}

async function evidenceVerified(
  given: Arguments,
  path: string,
  source: Buffer,
  { out, err }: Pick<Streams, "out" | "err">,
): Promise<ExitCode> {
  const signer = await signedBy(path, requiredOption(given, "public-key"), given.texts.get("signature"));
  const fault = await signatureFault(source, signer.signature, signer.publicKey);
  if (fault !== undefined) {
    err(`${faultLine(path, fault)}\n`);
    return endedBy("verify", EXIT.failures, `${path} is refused`, { err });
  }
  const evidence = evidenceIn(path, source.toString("utf8"));
  out(`${printable(`${path}: genuine evidence of ${evidence.policies.hash}: ${evidence.conclusion.headline}`)}\n`);
  return EXIT.ok;
}
