// Runs all tests on full-size samples (test/support/size.ts): npm run test:whole [-- FILE …]
import { spawnSync } from "node:child_process";

const { status } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2)], {
  env: { ...process.env, KEYWARD_SAMPLES: "whole" },
  stdio: "inherit",
});
process.exitCode = status ?? 1;
