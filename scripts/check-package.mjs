// Packs the package, installs the tarball into an empty project, and checks it there as a new user would: runs the
// README's example and the command, and checks the contents of the tarball. Needs `dist/` (npm run build).
import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { notice } from "./notice.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const project = mkdtempSync(join(tmpdir(), "keyward-package-"));
const run = (command, args, cwd = project) => execFileSync(command, args, { cwd, encoding: "utf8" });
/** The size of all files in a folder. */
const bytesIn = (directory) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
let checks = 0;
const check = (name, ok, detail = "") => {
  if (!ok) throw new Error(`${name}: ${detail}`);
  checks++;
};

try {
  const [packed] = JSON.parse(run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", project], root));
  const files = packed.files.map(({ path }) => path);
  for (const path of [
    "LICENSE",
    "NOTICE",
    "README.md",
    "CHANGELOG.md",
    "dist/index.js",
    "dist/types/index.d.ts",
    "dist/sbom.cdx.json",
  ]) {
    check(`the tarball has ${path}`, files.includes(path));
  }
  const stray = files.filter(
    (path) => !/^(dist|policies|examples|schemas|docs)\/|^[A-Z]+(\.md)?$|^package\.json$/.test(path),
  );
  check("the tarball has nothing else", stray.length === 0, stray.join());
  // Whoever reads the sources reads the repository: maps and tests would double the download.
  const needless = files.filter((path) =>
    /\.map$|\.tsbuildinfo$|\.test\.[jt]s$|(^|\/)\.(?!keyward\.yaml$)[^/]+$/.test(path),
  );
  check(
    "the tarball has no source maps, tests or hidden files but the configuration of policies",
    needless.length === 0,
    needless.join(),
  );
  check("the tarball has at most 2 MB", packed.size <= 2_000_000, String(packed.size));
  // npm warns of install scripts. Those of this repository would also need files that the package lacks.
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const atInstall = Object.keys(scripts).filter((name) => /install$|^prepare$|^prepublish$/.test(name));
  check("an installation runs no scripts", atInstall.length === 0, atInstall.join());

  check(
    "NOTICE names what is bundled, with its licences",
    readFileSync(join(root, "NOTICE"), "utf8") === (await notice()),
  );

  // Runs the README's commands in an empty folder, with the tarball in place of the published package.
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const [, start, embed] = /^## Start\n([\s\S]*?)^## Embed it\n([\s\S]*?)^## /m.exec(readme) ?? [];
  const [, commands] = /```sh\n([\s\S]*?)```/.exec(start) ?? [];
  const [, example] = /```js\n([\s\S]*?)```/.exec(embed) ?? [];
  check("the README has commands and an example to start with", commands !== undefined && example !== undefined);
  const installed = commands.replace("npm install keyward", `npm install --no-audit --no-fund ./${packed.filename}`);
  check("the README's commands install the package", installed !== commands, commands);
  const lines = commands.trim().split("\n");
  check("the README comes to a decision in five commands at most", lines.length <= 5, commands);
  const began = performance.now();
  const started = run("sh", ["-e", "-c", installed]);
  const seconds = Math.round((performance.now() - began) / 1_000);
  check("the README's commands come to a decision", /^\{"outcome":"allow"/m.test(started), started);
  writeFileSync(join(project, "first.mjs"), example);
  const output = run(process.execPath, ["first.mjs"]);
  check("the README's example works", output.includes("forbidden") && output.includes("system_resource"), output);
  const required = run(process.execPath, ["-e", `console.log(typeof require("keyward").decide)`]);
  check("CommonJS programs can require it", required.trim() === "function", required);
  run("npm", ["pkg", "set", "type=module"]);

  // Optional dependencies are installed by those who need them, never by default.
  const packages = readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."));
  check("one package comes with it", packages.join() === "fp-ts,keyward", packages.join());
  const megabytes = Math.round(bytesIn(join(project, "node_modules")) / 1e6);

  const bin = join(project, "node_modules", ".bin", "keyward");
  const shipped = join(project, "node_modules", "keyward", "policies");
  const checked = spawnSync(bin, ["check", shipped], { cwd: project, encoding: "utf8" });
  check("keyward check accepts the shipped policies", checked.status === 0, checked.stdout + checked.stderr);

  const asked = ["check-resources", "--policies", "examples/cerbos/policies", "--input", "examples/cerbos/check.json"];
  const missing = [
    ["check-resources", asked, "npm install --save-dev @cerbos/api@"],
    ["plan-resources", ["plan-resources", ...asked.slice(1)], "npm install --save-dev @cerbos/api@"],
    ["test --watch", ["test", shipped, "--watch"], "npm install --save-dev chokidar@"],
  ];
  for (const [name, args, command] of missing) {
    const { status, stderr } = spawnSync(bin, args, { cwd: project, encoding: "utf8", timeout: 60_000 });
    check(`keyward ${name} says what to install`, status === 2 && stderr.includes(command), stderr);
  }
  const loading = `import("keyward/cerbos").catch((error) => console.log(error.code, error.message))`;
  const refused = run(process.execPath, ["-e", loading]);
  check("keyward/cerbos says what is missing", /^ERR_MODULE_NOT_FOUND .*'@(cerbos|bufbuild)\//.test(refused), refused);
  for (const name of ["@cerbos/core", "@cerbos/api", "@bufbuild/protobuf"]) {
    mkdirSync(dirname(join(project, "node_modules", name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name));
  }
  const answered = run(bin, asked);
  check("keyward check-resources answers with Cerbos's packages", answered.includes("EFFECT_ALLOW"), answered);

  const { exports, peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const entries = Object.keys(exports).filter((entry) => !entry.endsWith(".json"));
  const modules = entries.map((entry) => entry.replace(".", "keyward"));

  // A strict compiler reads our declarations, and the declarations of dependencies that they use. Each check is a
  // process of its own; all run in parallel.
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2023,dom"];
  const compile = (files, ...more) =>
    new Promise((resolve) => {
      const args = [tsc, ...options, ...more, "--types", "", ...files];
      execFile(process.execPath, args, { cwd: project }, (error, said) => resolve({ isTyped: error === null, said }));
    });
  writeFileSync(join(project, "example.ts"), `${example}\nexport const outcome: string = decision.outcome;\n`);
  const used = 'import { decide } from "keyward";\nimport { loadPolicies } from "keyward/node";\n';
  writeFileSync(join(project, "common.cts"), `${used}export const both = [decide, loadPolicies];\n`);
  writeFileSync(join(project, "entries.ts"), modules.map((module) => `export * from "${module}";`).join("\n"));
  const [typed, common, older, declared, whole] = await Promise.all([
    compile(["example.ts", "common.cts"]),
    compile(["common.cts"], "--module", "node20"),
    compile(["common.cts"], "--module", "node16"),
    compile(["entries.ts"], "--skipLibCheck"),
    compile(["entries.ts"]),
  ]);
  check("the README's example and a CommonJS module type-check", typed.isTyped, typed.said);
  // As the README says: a CommonJS module requires an ES module here, which not every compiler setting allows.
  check("CommonJS in TypeScript, module node20", common.isTyped, common.said);
  check("CommonJS in TypeScript, module node16", older.said.includes("TS1479"), older.said);
  // `any` replaces types of packages that are not installed here: the frameworks of the adapters.
  const faults = declared.said.split("\n").filter((line) => line !== "" && !line.includes("TS2308"));
  check("the declarations of every entry are there", faults.length === 0, faults.join("\n"));
  // Also without skipLibCheck, as far as an entry's packages are installed.
  const absent = [
    ...whole.said.matchAll(/node_modules\/keyward\/.* TS2307: Cannot find module '(@[^/']+\/[^/']+|[^/']+)/g),
  ];
  const strange = absent.filter(([, name]) => !Object.hasOwn(peerDependencies, name));
  check("declarations lean on dependencies alone", strange.length === 0, strange.map(([text]) => text).join("\n"));

  // The entry that extends vitest can be loaded by vitest only.
  for (const module of modules.filter((name) => name !== "keyward/testing/vitest")) {
    const program = `import * as entry from "${module}"; console.log(Object.keys(entry).length > 0);`;
    writeFileSync(join(project, "entry.js"), program);
    check(
      `${module} loads, without any framework or fast-check`,
      run(process.execPath, ["entry.js"]).trim() === "true",
    );
  }

  const kilobytes = Math.round(packed.size / 1024);
  console.log(`package: ${files.length} files, ${kilobytes} kB packed; ${checks} checks passed`);
  console.log(
    `installed: ${packages.length} packages, ${megabytes} MB; first decision: ${lines.length} commands, ${seconds} s`,
  );
} finally {
  rmSync(project, { recursive: true, force: true });
}
