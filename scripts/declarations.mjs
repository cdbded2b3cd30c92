// Bundles the declarations: one file for each entry of the package, and one for each set of types that entries share.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";

/** Writes the declarations of the package at `root` to `dist/types`. Returns the number of files and their size. */
export async function buildDeclarations(root) {
  const whole = join(root, "dist/declarations");
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, "-p", "tsconfig.build.json", "--outDir", whole], {
    cwd: root,
    stdio: "inherit",
  });
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const entries = Object.values(exports).flatMap(({ types }) => types ?? []);
  const names = entries.map((path) => path.replace("./dist/types/", "").replace(/\.d\.ts$/, ""));
  const bundle = await rollup({
    input: Object.fromEntries(names.map((name) => [name, join(whole, `${name}.d.ts`)])),
    plugins: [dts()],
    external: (id) => !id.startsWith(".") && !id.startsWith("/"),
    onwarn: (warning) => {
      // Ignores types that an entry uses without exporting them: the exported types refer to them.
      if (!warning.message.includes("no public re-export")) throw new Error(warning.message);
    },
  });
  const { output } = await bundle.write({
    dir: join(root, "dist/types"),
    entryFileNames: "[name].d.ts",
    chunkFileNames: ({ name }) => `shared/${name.replace(/\.d$/, "")}-[hash].d.ts`,
  });
  await bundle.close();
  rmSync(whole, { recursive: true });
  return { files: output.length, bytes: output.reduce((sum, { code = "" }) => sum + code.length, 0) };
}
