/** `keyward verify FILE`: does a bundle match its own policies, and has the given key signed it, or evidence? */

import * as E from "fp-ts/lib/Either.js";
import { plural } from "../audit/plural.js";
import { BUILDER } from "../bundle/certificate.js";
import { signatureFault } from "../bundle/signature.js";
import { readBundleText } from "../bundle/text.js";
import { headOf } from "../bundle/unpack.js";
import { jsonText, printable } from "../policy/escape.js";
import { type Arguments, argumentOf, choice, expectAbsent, readArguments, requiredOption } from "./arguments.js";
import { operandsOf, operandsText } from "./bundle-operands.js";
import { otherBuilder, provedText, rebuilt } from "./bundle-rebuild.js";
import { evidenceIn } from "./evidence-file.js";
import { EXIT, type ExitCode, endedBy, type Streams, UsageError } from "./exit.js";
import { faultLine, readGiven, signedBy } from "./load-set.js";
import { intoFile, OUTPUT_OPTION } from "./output-file.js";
import { TOTAL_OPTIONS } from "./solver-options.js";
import { formatOption, type Usage } from "./usage.js";

const FORMATS = ["text", "json"] as const;

export const VERIFY: Usage = {
  name: "verify",
  takes: ["FILE [--public-key FILE]"],
  does: "Checks that a bundle is exactly the build of its policies, proves its functions again, and names each condition that is not proved, and each operand that is not proved by the solver (the package z3-solver). With a key, also checks its signature. If FILE is the evidence of a review, checks only the signature, so a key is required.",
  options: {
    "public-key": { value: "FILE", does: "the Ed25519 public key, as PEM, that must have signed FILE" },
    signature: { value: "FILE", does: "the signature (default: FILE.sig)" },
    format: formatOption(FORMATS),
    output: OUTPUT_OPTION,
    ...TOTAL_OPTIONS,
  },
};

export function verify(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return intoFile(readArguments(args, VERIFY, 1), streams, verified);
}

async function verified(given: Arguments, { out, err }: Streams): Promise<ExitCode> {
  const path = argumentOf(given, 0, "FILE");
  const format = choice("format", given.texts.get("format") ?? "text", FORMATS);
  const source = await readGiven(path);
  if (isJson(source)) return await evidenceVerified(given, path, source, { out, err });
  const keyFile = given.texts.get("public-key");
  const signature = given.texts.get("signature");
  if (keyFile === undefined && signature !== undefined) throw new UsageError("--signature needs --public-key");
  const read = await readBundleText(source, keyFile === undefined ? {} : await signedBy(path, keyFile, signature));
  const made = E.isLeft(read) ? read : await rebuilt(source);
  if (E.isLeft(read) || E.isLeft(made)) {
    const builder = E.isRight(read) ? otherBuilder(source) : undefined;
    if (builder !== undefined) {
      return endedBy("verify", EXIT.unproven, `${path} is not proved: ${builder} built it, this is ${BUILDER}`, {
        err,
      });
    }
    if (E.isLeft(made)) err(`${faultLine(path, made.left)}\n`);
    return endedBy("verify", EXIT.failures, `${path} is refused`, { err });
  }
  const { hash, version, texts: packed } = read.right;
  const { permissionVersion, platformVersion } = headOf(packed).configuration;
  const { certificate, judges } = made.right;
  const operands = await operandsOf(given, judges);
  const isSigned = keyFile !== undefined;
  if (format === "json") {
    const layers = { permissionVersion, platformVersion: platformVersion ?? null };
    out(`${jsonText({ file: path, isSigned, hash, version, layers, certificate, operands }, 2)}\n`);
  } else {
    const layers = `layers ${permissionVersion} ${platformVersion ?? "(none)"}`;
    const genuine = isSigned ? "genuine" : "signature not checked";
    out(
      `${printable(`${path}: ${genuine}, ${hash}, version ${version}, ${layers}, functions as built from its policies`)}\n`,
    );
    out(`${provedText(certificate)}\n${operandsText(operands)}\n`);
  }
  const { length } = certificate.unproved;
  if (length === 0) return EXIT.ok;
  return endedBy("verify", EXIT.unproven, `${path}: ${plural(length, "condition")} not proved`, { err });
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
  expectAbsent(given, Object.keys(TOTAL_OPTIONS), "goes with a bundle");
  const signer = await signedBy(path, requiredOption(given, "public-key"), given.texts.get("signature"));
  const fault = await signatureFault(source, signer.signature, signer.publicKey);
  if (fault !== undefined) {
    err(`${faultLine(path, fault)}\n`);
    return endedBy("verify", EXIT.failures, `${path} is refused`, { err });
  }
  const { policies, conclusion } = evidenceIn(path, source.toString("utf8"));
  if (given.texts.get("format") === "json") {
    out(`${jsonText({ file: path, isSigned: true, hash: policies.hash, headline: conclusion.headline }, 2)}\n`);
  } else out(`${printable(`${path}: genuine evidence of ${policies.hash}: ${conclusion.headline}`)}\n`);
  return EXIT.ok;
}
