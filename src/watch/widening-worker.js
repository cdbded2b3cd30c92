// Starts the worker thread where the sources run as TypeScript, as in tests. In the package, the built
// widening-thread.ts has the name of this file.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { OPTIONS } from "../../scripts/bundle.mjs";

const entry = fileURLToPath(new URL("widening-thread.ts", import.meta.url));
const { outputFiles } = await build({ ...OPTIONS, entryPoints: [entry], splitting: false, write: false });
const [program] = outputFiles;
await import(`data:text/javascript;base64,${Buffer.from(program.contents).toString("base64")}`);
