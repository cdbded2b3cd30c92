/** The values that options may have. Types do not keep a program in JavaScript from giving others. */

import { CERBOS_LEVELS } from "../../cel/levels.js";
import { ENFORCEMENTS, UNLISTED } from "./schema.js";

interface AllowedValues {
  has(value: unknown): boolean;
  readonly said: string;
}

const TEXT: AllowedValues = { has: (value) => typeof value === "string", said: "a text" };
const FLAG: AllowedValues = { has: (value) => typeof value === "boolean", said: "true or false" };

function among(words: readonly string[]): AllowedValues {
  const said = words.map((word) => JSON.stringify(word)).join(" or ");
  return { has: (value) => words.some((word) => word === value), said };
}

const ALLOWED: ReadonlyMap<string, AllowedValues> = new Map([
  ["permissionVersion", TEXT],
  ["platformVersion", TEXT],
  ["defaultPolicyVersion", TEXT],
  ["defaultScope", TEXT],
  ["platform", { has: isPlatform, said: '"none", { unlisted: "supported" | "forbidden" }' }],
  ["otherVersions", { has: (value) => Array.isArray(value) && value.every(TEXT.has), said: "a list of texts" }],
  ["globals", { has: (value) => typeof value === "object" && !Array.isArray(value), said: "an object" }],
  ["schemaEnforcement", among(ENFORCEMENTS)],
  ["typedReads", FLAG],
  ["lenientScopeSearch", FLAG],
  ["codegen", FLAG],
  ["strictEvaluation", FLAG],
  ["failClosed", FLAG],
  ["cerbos", among(CERBOS_LEVELS)],
  ["lock", among(["required", "ignored"])],
  ["followLinks", FLAG],
]);

function isPlatform(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === "none";
  return "unlisted" in value && UNLISTED.some((word) => word === value.unlisted);
}

/** Throws a `TypeError` that names the first option with a value that it may not have. */
export function checkOptionValues(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    const allowed = value === undefined ? undefined : ALLOWED.get(name);
    if (allowed?.has(value) === false) throw new TypeError(`${name} must be ${allowed.said}, or absent`);
  }
}
