/** The command line of operators: `admin accounts suspend acc_1 --operator alice`. */

import { parseArgs } from "node:util";
import { z } from "zod";
import type { RequestStore } from "../store/store.js";
import type { OperatorAction } from "./action.js";
import { ACTIONS } from "./index.js";
import { asText } from "./print.js";

/** The arguments are wrong; the message says how. */
export class WrongArguments extends Error {
  override readonly name = "WrongArguments";
}

const FORMATS = ["text", "json"] as const;

/** An action, ready to run. Its output ends with a line feed. */
export type AdminCommand = (store: RequestStore) => Promise<string>;

/** Reads the arguments after `admin`. Throws {@link WrongArguments}. */
export function readAdminCommand(args: readonly string[]): AdminCommand {
  const [group = "", verb = "", ...rest] = args;
  const action = ACTIONS.find(({ name }) => name === `${group}.${verb}`);
  if (group === "") throw new WrongArguments(ADMIN_USAGE);
  if (action === undefined) {
    const command = ["admin", group, verb].filter((word) => word !== "").join(" ");
    throw new WrongArguments(`there is no command ${JSON.stringify(command)}\n${ADMIN_USAGE}`);
  }
  const usage = `usage: ${usageOf(action)}`;
  const { format, given } = valuesOf(action, rest, usage);
  const checked = action.input.safeParse(given);
  if (!checked.success) {
    const faults = checked.error.issues.map(({ path, message }) => `${argumentOf(String(path[0]))}: ${message}`);
    throw new WrongArguments([...faults, usage].join("\n"));
  }
  return async (store) => {
    const result = await action.run(store, given);
    return format === "json" ? `${JSON.stringify(result)}\n` : asText(result);
  };
}

function valuesOf(action: OperatorAction, args: readonly string[], usage: string) {
  const names = Object.keys(action.input.shape).filter((name) => name !== "id");
  const options = Object.fromEntries([...names, "format"].map((name) => [name, { type: "string" }] as const));
  const { values, positionals } = parsed(args, options, usage);
  const { format = "text", ...given } = values;
  const [id, ...more] = positionals;
  const takesId = "id" in action.input.shape;
  const extra = takesId ? more[0] : id;
  if (extra !== undefined) throw new WrongArguments(`unexpected argument ${JSON.stringify(extra)}\n${usage}`);
  const known = FORMATS.find((name) => name === format);
  if (known === undefined) throw new WrongArguments(`--format: must be ${FORMATS.join(" or ")}\n${usage}`);
  return { format: known, given: takesId ? { ...given, id } : given };
}

function parsed(args: readonly string[], options: { readonly [name: string]: { type: "string" } }, usage: string) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new WrongArguments(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}

const argumentOf = (name: string) => (name === "id" ? "ID" : `--${name}`);

function usageOf({ name, input }: OperatorAction): string {
  const parts = Object.entries(input.shape).map(([field, schema]) => {
    if (field === "id") return "ID";
    const option = `--${field} ${placeholderOf(schema)}`;
    return z.safeParse(schema, undefined).success ? `[${option}]` : option;
  });
  return ["admin", ...name.split("."), ...parts, "[--format text|json]"].join(" ");
}

/** The placeholder for a value: the choices, where there are few. */
function placeholderOf(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return placeholderOf(schema.unwrap());
  return schema instanceof z.ZodEnum ? schema.options.join("|") : "VALUE";
}

export const ADMIN_USAGE = [
  "usage: admin GROUP COMMAND [ID] [OPTIONS]",
  ...ACTIONS.map((action) => `  ${usageOf(action)}\n      ${action.summary}`),
  "--operator is the name in the audit chain. Exit codes: 1 unexpected, 2 bad usage, or no such resource.",
].join("\n");
