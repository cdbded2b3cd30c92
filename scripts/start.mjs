// Builds the library and the service, and starts the service in this process, so that signals reach it. Standard output
// is the service's alone. Without a variable that names a store, even an empty one, it is a demonstration.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { endWithParent } from "./parent.mjs";

const { ppid } = process;
for (const script of ["build.mjs", "../service/scripts/build.mjs"]) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  execFileSync(process.execPath, [path], { stdio: ["ignore", 2, 2] });
}
const { main } = await import("../service/dist/main.js");
// Started by itself (`node scripts/start.mjs &`), it may well be meant to outlive the shell.
if (process.env.npm_lifecycle_event === "start") endWithParent(ppid);
const { env } = process;
const namesStore = "DATABASE_URL" in env || "DATA_DIR" in env;
await main(process.argv.slice(2), namesStore ? env : { DEMO: "1", ...env });
