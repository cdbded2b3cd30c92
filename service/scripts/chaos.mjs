// Builds the library and the service, then runs the chaos tests: npm run chaos -w service [-- FILE …]
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const [, , ...files] = process.argv;
for (const args of [
  ["scripts/build.mjs"],
  ["service/scripts/build.mjs"],
  // Files run one at a time: the tests are to break the service, not to overload the machine.
  [
    ...["node_modules/vitest/vitest.mjs", "run", "--project", "service", "--no-file-parallelism"],
    "--testTimeout=1800000",
    ...(files.length > 0 ? files : ["service/test/chaos"]),
  ],
]) {
  const env = { ...process.env, KEYWARD_CHAOS: "5" };
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
