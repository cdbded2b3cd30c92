/**
 * A process in which Z3 runs, so that it can be ended at any time and takes no memory from whoever asks. It is told
 * where the package `z3-solver` is, and then is sent scripts one by one; it answers each with what the solver prints.
 */

import { pathToFileURL } from "node:url";

const [, , entry, megabytes] = process.argv;

const { default: z3 } = await import(pathToFileURL(entry).href);
const { Z3 } = await z3.init();
Z3.global_param_set("memory_max_size", megabytes);
const config = Z3.mk_config();
const context = Z3.mk_context(config);

process.on("message", async ({ id, script }) => {
  let output;
  try {
    output = await Z3.eval_smtlib2_string(context, script);
  } catch (error) {
    output = `(error "${String(error).replaceAll('"', "'")}")`;
  }
  process.send({ id, output });
});
process.on("disconnect", () => process.exit(0));
process.send({ id: 0, output: "ready" });
