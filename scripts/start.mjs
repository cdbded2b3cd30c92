// Builds the library and the service, and starts the service in this process, so that it receives signals. Only the
// service writes to standard output. If no variable names a store (an empty variable counts), it is a demonstration.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { endWithParent } from "./parent.mjs";

const { ppid } = process;
for (const script of ["build.mjs", "../service/scripts/build.mjs"]) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  execFileSync(process.execPath, [path], { stdio: ["ignore", 2, 2] });
}
const { main } = await import("../service/dist/main.js");
// When started directly (`node scripts/start.mjs &`), the process may be meant to outlive its shell.
if (process.env.npm_lifecycle_event === "start") endWithParent(ppid);
const { env } = process;
const namesStore = "DATABASE_URL" in env || "DATA_DIR" in env;
await main(process.argv.slice(2), namesStore ? env : { DEMO: "1", ...env });
