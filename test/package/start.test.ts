/**
 * The process of `npm start` ends with npm, although the shell between them forwards no signals.
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
  // With a second command, the shell does not replace itself with the first command.
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
