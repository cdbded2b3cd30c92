/** TypeScript as data, and its text: as much as the module of `keyward types` is made of. */

import { isList, isObject, type JsonValue } from "../../cel/json.js";
import { jsonText, printable } from "../../policy/escape.js";

export type Type =
  /** Literal source: `string`, `"draft"`, the name of another type. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "union" | "intersection"; readonly of: readonly Type[] }
  | { readonly kind: "list"; readonly item: Type }
  | { readonly kind: "tuple"; readonly items: readonly Type[]; readonly needed: number; readonly rest: Type }
  | { readonly kind: "object"; readonly members: readonly Member[] }
  /** Any property names, with values of one type. */
  | { readonly kind: "map"; readonly value: Type };

export interface Member {
  readonly name: string;
  readonly type: Type;
  readonly optional?: boolean;
  /** See {@link commentOf}. */
  readonly comment?: string | undefined;
}

export function text(written: string): Type {
  return { kind: "text", text: written };
}

/** The type of any value. */
export const UNKNOWN: Type = text("unknown");
/** The type without values. */
export const NEVER: Type = text("never");

export function unionOf(types: readonly Type[]): Type {
  const members = unique(types.flatMap((type) => (type.kind === "union" ? type.of : [type])));
  if (members.some((type) => isSame(type, UNKNOWN))) return UNKNOWN;
  const some = members.filter((type) => !isSame(type, NEVER));
  const [only = NEVER, ...others] = some;
  return others.length === 0 ? only : { kind: "union", of: some };
}

export function intersectionOf(types: readonly Type[]): Type {
  const parts = unique(types.flatMap((type) => (type.kind === "intersection" ? type.of : [type])));
  if (parts.some((type) => isSame(type, NEVER))) return NEVER;
  const some = parts.filter((type) => !isSame(type, UNKNOWN));
  const [only = UNKNOWN, ...others] = some;
  return others.length === 0 ? only : { kind: "intersection", of: some };
}

/** Texts as the only values. */
export function textsType(texts: Iterable<string>): Type {
  return unionOf([...texts].map(literalType));
}

/** The type of one JSON value. */
export function literalType(value: JsonValue): Type {
  if (isList(value)) return { kind: "tuple", items: value.map(literalType), needed: value.length, rest: NEVER };
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, item]) => ({ name, type: literalType(item) }));
    return { kind: "object", members };
  }
  // JSON has numbers that JavaScript reads as infinite, which no literal type is.
  return text(typeof value === "number" && !Number.isFinite(value) ? "number" : jsonText(value));
}

/** An author's text as a one-line comment that cannot end itself. Undefined if there is no text. */
export function commentOf(said: readonly (JsonValue | undefined)[]): string | undefined {
  const sentences = said
    .filter((each) => typeof each === "string")
    .map((each) => printable(each).trim().replace(/\.$/, ""))
    .filter((each) => each !== "");
  return sentences.length === 0 ? undefined : `${sentences.join(". ").replaceAll("*/", "* /")}.`;
}

/** A declaration, with an `export` before it. */
export function declaration(name: string, type: Type, comment: string | undefined): string {
  const said = comment === undefined ? "" : `/** ${comment} */\n`;
  if (type.kind === "object") return `${said}export interface ${name} ${printed(type, "")}\n`;
  return `${said}export type ${name} =${assigned(type, "", `export type ${name} =;`.length)};\n`;
}

const MAX_WIDTH = 120;

/** The text after a colon or an equals sign. A union too long for the line has one line for each member. */
function assigned(type: Type, indent: string, used: number): string {
  const line = ` ${printed(type, indent)}`;
  if (type.kind !== "union" || (!line.includes("\n") && used + line.length <= MAX_WIDTH)) return line;
  return type.of.map((each) => `\n${indent}  | ${printed(each, `${indent}  `)}`).join("");
}

/** The text of a type that begins on a line with this indent. */
function printed(type: Type, indent: string): string {
  switch (type.kind) {
    case "text":
      return type.text;
    case "union":
      return type.of.map((each) => operand(each, indent, "union")).join(" | ");
    case "intersection":
      return type.of.map((each) => operand(each, indent, "intersection")).join(" & ");
    case "list":
      return `readonly ${operand(type.item, indent, "list")}[]`;
    case "tuple":
      return `readonly [${tupleItems(type, indent).join(", ")}]`;
    case "map":
      return `{ readonly [name: string]: ${printed(type.value, indent)} }`;
    case "object":
      return block(type.members, indent);
  }
}

function operand(type: Type, indent: string, within: "union" | "intersection" | "list"): string {
  const written = printed(type, indent);
  const isOpen =
    type.kind === "union"
      ? within !== "union"
      : within === "list" && (type.kind === "intersection" || type.kind === "list" || type.kind === "tuple");
  return isOpen ? `(${written})` : written;
}

function tupleItems({ items, needed, rest }: Extract<Type, { kind: "tuple" }>, indent: string): readonly string[] {
  const written = items.map((item, i) => (i < needed ? printed(item, indent) : `${operand(item, indent, "list")}?`));
  return isSame(rest, NEVER) ? written : [...written, `...${operand(rest, indent, "list")}[]`];
}

function block(members: readonly Member[], indent: string): string {
  if (members.length === 0) return "{}";
  const inner = `${indent}  `;
  const lines = members.map(({ name, type, optional = false, comment }) => {
    const head = `${inner}readonly ${propertyName(name)}${optional ? "?" : ""}:`;
    const said = comment === undefined ? "" : `${inner}/** ${comment} */\n`;
    return `${said}${head}${assigned(type, inner, head.length + 1)};\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : jsonText(name);
}

function unique(types: readonly Type[]): readonly Type[] {
  return [...new Map(types.map((type) => [JSON.stringify(type), type])).values()];
}

function isSame(a: Type, b: Type): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
