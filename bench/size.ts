/** The size of programs that decide by a bundle, or read policies: minified by esbuild, and compressed. Needs `dist/`. */

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const PROGRAMS: readonly (readonly [name: string, source: string])[] = [
  [
    "decide, loadBundle and the bundle of the shipped policies",
    `import { decide, loadBundleOrThrow } from "keyward/runtime";
     import { bundle } from "./bench/.build/policies.mjs";
     export default (request) => decide(loadBundleOrThrow(bundle), request);`,
  ],
  ["that bundle by itself", `export { bundle } from "./bench/.build/policies.mjs";`],
  ["compilePolicies and decide", `export { compilePolicies, decide } from "keyward";`],
  ["all of keyward", `export * from "keyward";`],
];

export async function benchSize(): Promise<void> {
  const args = ["dist/cli.js", "build", "policies", "--output", "bench/.build/policies.mjs"];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: "ignore" });
  for (const [name, contents] of PROGRAMS) {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: ROOT },
      // Ignores the paths of this repository's tsconfig, so that the installed package is measured and not the sources.
      tsconfigRaw: "{}",
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
      platform: "neutral",
      external: ["node:*"],
      logLevel: "error",
    });
    const [output] = outputFiles;
    const bytes = output?.contents ?? new Uint8Array();
    const kilobytes = (size: number) => `${(size / 1000).toFixed(1)} kB`;
    const packed = gzipSync(bytes, { level: 9 }).length;
    console.log(`${name.padEnd(58)} ${kilobytes(packed).padStart(9)} gzip, ${kilobytes(bytes.length)}`);
  }
}
