/** `keyward build DIR`: builds the policies into a bundle, which programs import or fetch. */

import { dirname, extname } from "node:path";
import * as E from "fp-ts/lib/Either.js";
import { typesModule } from "../audit/types/module.js";
import { build as buildBundle } from "../bundle/module.js";
import { policySetHash } from "../decisions/policy-set-hash.js";
import { loadPolicies } from "../node/load.js";
import { printable } from "../policy/escape.js";
import { policiesOf, readArguments, requiredOption } from "./arguments.js";
import { operandsOf, operandsText } from "./bundle-operands.js";
import { provedText } from "./bundle-rebuild.js";
import { existingDirectory } from "./directory.js";
import { EXIT, type ExitCode, type Streams, UsageError } from "./exit.js";
import { issueLine } from "./issues.js";
import { writeOutput } from "./output-file.js";
import { DIR_OPTIONS, loadOptionsOf } from "./policy-options.js";
import { privateKeyIn, writeSigned } from "./private-key.js";
import { expectSeparateFiles } from "./separate-files.js";
import { TOTAL_OPTIONS } from "./solver-options.js";
import type { Usage } from "./usage.js";

export const BUILD: Usage = {
  name: "build",
  takes: ["DIR --output FILE"],
  does: "Writes the policies as a bundle, an ES module for keyward/runtime with its types, and proves its functions, their operands with the solver (the package z3-solver) if it is installed. --sign signs it (Ed25519).",
  options: {
    output: {
      value: "FILE",
      does: "the module, .mjs or .js; its types and its signature (FILE.sig) are written beside it",
    },
    sign: { value: "KEYFILE", does: "sign it with this Ed25519 private key, as PEM" },
    "set-version": { value: "N", does: "the version of the set, which the loading program can require (default 0)" },
    deciders: { does: "no longer has an effect: every bundle supports deciderFor and keepDeciders" },
    ...TOTAL_OPTIONS,
    ...DIR_OPTIONS,
  },
};

export async function build(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const { err } = streams;
  const given = readArguments(args, BUILD, 1);
  const { texts, switches } = given;
  const directory = policiesOf(given);
  const output = requiredOption(given, "output");
  const declarations = declarationsOf(output);
  expectSeparateFiles(given, streams, [declarations, `${output}.sig`]);
  const version = versionOf(texts.get("set-version"));
  const keyFile = texts.get("sign");
  const key = keyFile === undefined ? undefined : await privateKeyIn(keyFile);
  const root = await existingDirectory(directory);
  // Proofs take seconds, so a mistake is told before them.
  await existingDirectory(dirname(output));
  const loaded = await loadPolicies(root, loadOptionsOf(given))();
  if (E.isLeft(loaded)) {
    for (const issue of loaded.left) err(`${issueLine(issue, directory)}\n`);
    return EXIT.policies;
  }
  const policies = loaded.right;
  const { text, certificate, judges } = await buildBundle(policies, { version });
  if (switches.has("deciders")) err("--deciders has no effect any more: every bundle serves deciders\n");
  const operands = await operandsOf(given, judges);
  const types = `${typesModule(policies)}
import type { Bundle } from "keyward/runtime";

/** For \`loadBundle\`. */
export declare const bundle: Bundle<Policies>;
`;
  await writeSigned(output, text, key, { err });
  await writeOutput(declarations, types);
  err(`${printable(output)}: ${await policySetHash(policies)}, version ${version}\n${provedText(certificate)}\n`);
  err(`${operandsText(operands)}\n`);
  if (key !== undefined && !texts.has("set-version")) {
    err("warning: it is signed as version 0, so an older signed bundle can take its place: give --set-version\n");
  }
  return EXIT.ok;
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  [".mjs", ".d.mts"],
  [".js", ".d.ts"],
]);

/** The path of a module's type declarations. */
function declarationsOf(output: string): string {
  const extension = extname(output);
  const own = EXTENSIONS.get(extension);
  if (own === undefined) throw new UsageError("--output must be an ES module: a .mjs file, or a .js file");
  return `${output.slice(0, -extension.length)}${own}`;
}

function versionOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const version = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (version === undefined) throw new UsageError("--set-version must be a whole number of at most 15 digits");
  return version;
}
