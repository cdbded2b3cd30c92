/** `keyward init [DIR]`: writes a policy set of one's own, on which every check is green. */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { printable } from "../policy/escape.js";
import { choice, readArguments } from "./arguments.js";
import { pathFrom } from "./directory.js";
import { EXIT, type ExitCode, type Streams, UsageError } from "./exit.js";
import { nextCommands } from "./init/configuration.js";
import { DEFAULT_KIND, DEFAULT_PLANS, defaultOperations, domainOf, hasUsage } from "./init/domain.js";
import { filesOf, type SetLayout } from "./init/files.js";
import { FRAMEWORKS } from "./init/frameworks.js";
import { writeFiles } from "./init/write-files.js";
import type { Usage } from "./usage.js";

export const INIT: Usage = {
  name: "init",
  takes: ["[DIR]"],
  does: "Writes a policy set of your own to DIR (default: .): two layers, schemas, suites, claims, keyward.yaml, a lock, a CI file, types, and a typed handler with a test. In the folder of a program, with a package.json, the policies go to policies/. Nothing is overwritten.",
  options: {
    kind: { value: "KIND", does: `the kind of resource (default ${DEFAULT_KIND})` },
    operations: {
      value: "NAMES",
      does: "its operations, separated by commas: devices.create,devices.read (default: create, list, read, update, delete)",
    },
    plans: {
      value: "NAMES",
      does: `the plans of accounts, the smallest first, separated by commas (default ${DEFAULT_PLANS.join(",")})`,
    },
    framework: { value: FRAMEWORKS.join("|"), does: `the framework of the handler (default ${FRAMEWORKS[0]})` },
    policies: { value: "DIR", does: "another way to give DIR" },
  },
};

export async function init(args: readonly string[], { out, err, cwd }: Streams): Promise<ExitCode> {
  const { texts, positionals } = readArguments(args, INIT, 1);
  const directory = texts.get("policies") ?? positionals[0] ?? ".";
  const kind = texts.get("kind") ?? DEFAULT_KIND;
  const framework = choice("framework", texts.get("framework") ?? FRAMEWORKS[0], FRAMEWORKS);
  const domain = domainOf(
    kind,
    listed(texts.get("operations")) ?? defaultOperations(kind),
    listed(texts.get("plans")) ?? DEFAULT_PLANS,
  );
  const root = pathFrom(cwd, directory);
  const layout = await layoutOf(root, directory);
  const files = filesOf(domain, framework, layout);
  await writeFiles(root, directory, layout, files);
  for (const { path } of files) out(`${printable(join(directory, path))}\n`);
  const policies = printable(join(directory, layout.policies));
  const request = printable(join(directory, layout.policies, "testdata", "request.json"));
  out(
    `\nNext:\n${nextCommands(policies, request, layout.isProgram)
      .map((line) => `  ${line}\n`)
      .join("")}`,
  );
  if (texts.has("plans") && !hasUsage(domain)) {
    err("keyward init: no operation creates, so no rule has a quota and none reads the plan\n");
  }
  return EXIT.ok;
}

function listed(text: string | undefined): readonly string[] | undefined {
  return text?.split(",").map((name) => name.trim());
}

/** The policies of a program are in a folder of their own: in one with theirs, `package.json` would be read as a policy. */
async function layoutOf(root: string, directory: string): Promise<SetLayout> {
  const [found, program] = await Promise.all([kindOf(root), kindOf(join(root, "package.json"))]);
  if (found === "file") throw new UsageError(`${directory} is not a directory`);
  const isProgram = program === "file";
  return { policies: isProgram ? "policies" : ".", isProgram };
}

function kindOf(path: string): Promise<"file" | "directory" | undefined> {
  return stat(path).then(
    (found) => (found.isDirectory() ? "directory" : "file"),
    () => undefined,
  );
}
