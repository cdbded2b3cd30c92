/**
 * The process that runs Z3. It can be ended at any time, and its memory is not that of the caller. Its arguments are
 * the path of the package `z3-solver` and a memory limit in megabytes. It answers each script that it is sent with the
 * output of Z3.
 */

import { pathToFileURL } from "node:url";

const [, , entry, megabytes] = process.argv;

const { default: z3 } = await import(pathToFileURL(entry).href);
const { Z3, em } = await z3.init();
Z3.global_param_set("memory_max_size", megabytes);
// The tactic that Z3 chooses by itself takes ten times as long to prepare a question as the question takes to answer.
Z3.global_param_set("tactic.default_tactic", "smt");

/**
 * Runs a script in a context of its own. The model that Z3 finds depends on earlier questions to the same context. With
 * a new context, the same script always has the same answer.
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
 * Does the work of `Z3.eval_smtlib2_string`, which is unsafe: the package passes the script on the stack, and releases
 * the stack before the thread that reads the script has started. On a busy machine the thread reads other data in its
 * place.
 */
async function evaluated(context, script) {
  const bytes = Buffer.from(`${script}\0`);
  const at = em._malloc(bytes.length);
  try {
    // The memory may have grown beyond the part that is visible here.
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
