// The single table of allowed imports between the folders of src. `node scripts/layers.mjs` writes it as lint rules to
// biome.layers.json, which biome.json extends. With `--check` it exits with 1 if that file is out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Each line: the folder, `browser` if it must run without Node, and the other folders that it may import. */
const TABLE = `
cel               browser
schema            browser  cel
policy            browser  cel schema
engine/plan       browser  cel schema policy
engine/frame      browser  cel engine/plan
engine/generate   browser  cel schema policy engine/plan engine/frame
engine/evaluate   browser  cel schema policy engine/plan engine/frame engine/generate
engine/observe    browser  cel schema policy engine/plan engine/evaluate
engine/residual   browser  cel schema policy engine/plan engine/frame engine/generate engine/evaluate
engine/query      browser  cel schema policy engine/plan engine/evaluate engine/residual
engine/formula    browser  cel schema policy engine/plan engine/generate
decisions         browser  cel schema policy engine
hints             browser  cel schema policy engine decisions
bundle            browser  cel schema policy engine decisions hints
sql               browser  cel schema policy engine decisions
http              browser  cel schema policy engine decisions hints bundle
mcp               browser  cel schema policy engine decisions hints
authzen           browser  cel schema policy engine decisions hints
space             browser  cel schema policy engine decisions bundle
solver            node     engine/formula
proof             node     cel schema policy engine decisions bundle space solver
node              node     cel schema policy engine decisions bundle
cerbos            node     cel schema policy engine decisions bundle node
testing           node     cel schema policy engine decisions hints bundle node cerbos http sql space
audit             node     cel schema policy engine decisions hints bundle node cerbos http sql space solver proof testing
replay            node     cel schema policy engine decisions hints audit
mutate            node     cel schema policy engine decisions space solver proof testing
watch             node     cel schema policy engine decisions hints bundle node cerbos http sql space solver proof testing audit
serve             node     cel schema policy engine decisions hints bundle node cerbos http sql authzen watch
cli               node     cel schema policy engine decisions hints bundle node cerbos http sql space solver proof testing audit mutate watch replay authzen serve
`;

const FILE = fileURLToPath(new URL("../biome.layers.json", import.meta.url));

const layers = TABLE.trim()
  .split("\n")
  .map((line) => line.trim().split(/ +/))
  .map(([folder = "", runsIn, ...imports]) => ({ folder, isForBrowsers: runsIn === "browser", imports }));
const folders = layers.map(({ folder }) => folder);
const byFolder = new Map(layers.map(({ folder, imports }) => [folder, imports]));

/** Whether a folder equals another, or is inside it. */
const isWithin = (folder, other) => folder === other || folder.startsWith(`${other}/`);

function ruleOf({ folder, isForBrowsers, imports }, includes = [`src/${folder}/**`]) {
  const forbidden = folders.filter((one) => one !== folder && !imports.some((other) => isWithin(one, other)));
  const allowed = imports.length === 0 ? "nothing else" : `${imports.join(", ")} alone`;
  // Folders of src/engine import each other without the prefix `engine/`.
  const names = forbidden.map((one) => (isWithin(folder, "engine") ? one.replace("engine/", "") : one));
  const patterns = [
    { group: names.map((one) => `**/${one}/**`), message: `src/${folder} imports ${allowed}: see scripts/layers.mjs.` },
    ...(folder === "engine/formula"
      ? [{ group: ["z3-solver", "z3-solver/**"], message: "Formulas are data: they know no solver." }]
      : []),
    ...(isForBrowsers
      ? [{ group: ["node:*", "node:*/**"], message: "This folder runs in browsers: no Node built-ins." }]
      : []),
  ];
  return override(includes, patterns);
}

function override(includes, patterns) {
  const noRestrictedImports = { level: "error", options: { patterns } };
  return { includes, linter: { rules: { style: { noRestrictedImports } } } };
}

const OTHERS = [
  // The entry of the folder also exports the solver and the watching of files.
  ruleOf({ folder: "node", imports: [...(byFolder.get("node") ?? []), "solver", "watch"] }, ["src/node/index.ts"]),
  override(
    ["src/engine/*.ts"],
    [{ group: ["**"], message: "Nothing stands in src/engine itself: a file belongs to one of its folders." }],
  ),
  override(
    ["src/index.ts"],
    [{ group: ["node:*", "**/node/**", "**/cli/**"], message: "The root entry runs in browsers." }],
  ),
  override(
    ["service/**"],
    [
      {
        group: [
          "**/src/cel/**",
          "**/src/schema/**",
          "**/src/engine/**",
          "**/src/decisions/**",
          "keyward/dist/**",
          "keyward/src/**",
        ],
        message: "The service embeds the library as anybody does: by its package entries.",
      },
    ],
  ),
];

const text = `${JSON.stringify({ overrides: [...layers.map((layer) => ruleOf(layer)), ...OTHERS] }, null, 2)}\n`;
if (!process.argv.includes("--check")) writeFileSync(FILE, text);
else if (readFileSync(FILE, "utf8") !== text) {
  console.error("biome.layers.json is not what the table says: node scripts/layers.mjs");
  process.exitCode = 1;
}
