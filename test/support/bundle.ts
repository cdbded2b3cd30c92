/** The modules that a built entry contains. */

import { build, type Metafile } from "esbuild";
import { ROOT } from "./built.js";

/** Bundles an entry of `dist` without its external packages and without writing a file. */
export async function bundled(entry: string): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: [`${ROOT}dist/${entry}.js`],
    outdir: "none",
    bundle: true,
    splitting: true,
    write: false,
    format: "esm",
    platform: "node",
    packages: "external",
    metafile: true,
    logLevel: "silent",
  });
  return metafile;
}
