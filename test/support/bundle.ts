/** What a built entry is made of. */

import { build, type Metafile } from "esbuild";
import { ROOT } from "./built.js";

/** The entry of `dist` bundled, but for the packages that it imports: nothing is written. */
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
