/**
 * A process in which Z3 runs, so that it can be ended at any time and takes no memory from whoever asks. It is told
 * where the package `z3-solver` is, and then is sent scripts one by one; it answers each with what the solver prints.
 */

import { pathToFileURL } from "node:url";

const [, , entry, megabytes] = process.argv;

const { default: z3 } = await import(pathToFileURL(entry).href);
const { Z3, em } = await z3.init();
Z3.global_param_set("memory_max_size", megabytes);
// The tactic that it would choose by itself prepares questions for ten times as long as these take to answer.
Z3.global_param_set("tactic.default_tactic", "smt");

/**
 * A script by itself. What a context was asked before bears on which of several models it finds: with one of its own for
 * each script, the same script is answered in the same way, whatever was asked before.
 */
async function answered(script) {
  const config = Z3.mk_config();
  const context = Z3.mk_context(config);
  try {
    return await evaluated(context, script);
  } finally {
    Z3.del_context(context);
    Z3.del_config(config);
  }
}

/**
 * What `Z3.eval_smtlib2_string` is meant to be. The package's hands the script over on the stack, which is given back before
 * the thread that reads it has come to it: on a busy machine it reads what stands there by then.
 */
async function evaluated(context, script) {
  const bytes = Buffer.from(`${script}\0`);
  const at = em._malloc(bytes.length);
  try {
    // Memory may have grown beyond what is seen of it here.
    if (at === 0 || at + bytes.length > em.HEAPU8.length) throw new Error("there is no memory for the question");
    em.HEAPU8.set(bytes, at);
    return await em.async_call(() => {
      em.ccall("async_Z3_eval_smtlib2_string", "void", ["number", "number"], [context, at]);
    });
  } finally {
    em._free(at);
  }
}

process.on("message", async ({ id, script }) => {
  let output;
  try {
    output = await answered(script);
  } catch (error) {
    output = `(error "${String(error).replaceAll('"', "'")}")`;
  }
  process.send({ id, output });
});
process.on("disconnect", () => process.exit(0));
process.send({ id: 0, output: "ready" });
