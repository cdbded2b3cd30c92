/**
 * What `npm start` starts ends with npm, though the shell between them passes no signal on.
 *
 * @module-tag long
 */

import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { ROOT } from "../support/built.js";

test.skipIf(process.platform === "win32")("a process whose parent is gone ends, as by SIGTERM", async () => {
  const program = `
    import { endWithParent } from "${ROOT}scripts/parent.mjs";
    process.on("SIGTERM", () => process.stdout.write("ended", () => process.exit()));
    setTimeout(() => process.stdout.write("orphan", () => process.exit()), 20_000);
    endWithParent(process.ppid, 10);
    process.stdout.write("ready ");`;
  // The second command keeps the shell from becoming the first.
  const shell = spawn("sh", ["-c", `'${process.execPath}' --input-type=module --eval '${program}'; true`]);
  let said = "";
  const ended = new Promise((resolve) => shell.stdout.once("close", resolve));
  shell.stdout.on("data", (chunk) => {
    said += chunk;
    if (said === "ready ") shell.kill("SIGTERM");
  });
  await ended;
  expect(said).toBe("ready ended");
});
