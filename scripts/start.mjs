// Builds the library and the service, and starts the service in this process, so that signals reach it. Standard output
// is the service's alone.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

for (const script of ["build.mjs", "../service/scripts/build.mjs"]) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  execFileSync(process.execPath, [path], { stdio: ["ignore", 2, 2] });
}
const { main } = await import("../service/dist/main.js");
await main(process.argv.slice(2), process.env);
