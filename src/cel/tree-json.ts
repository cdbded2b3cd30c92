/** A checked tree as JSON text, and back, with the same meaning: the invariant "meaning on the node" of `ast.ts`. */

import type { Expr } from "./ast.js";
import { TypeValue, Uint } from "./values.js";

/** What stands for a constant that JSON has no form for. Nodes have no such fields. */
interface Marked {
  readonly $int?: string;
  readonly $uint?: string;
  readonly $bytes?: readonly number[];
  readonly $type?: string;
  readonly $double?: "-0";
}

export function treeToJson(expr: Expr): string {
  return JSON.stringify(expr, (_, value: unknown) => marked(value) ?? value);
}

/** What is read here was written by {@link treeToJson}. */
export function treeFromJson(text: string): Expr {
  return JSON.parse(text, revived);
}

function marked(value: unknown): Marked | undefined {
  if (typeof value === "bigint") return { $int: String(value) };
  if (value instanceof Uint) return { $uint: String(value.value) };
  if (value instanceof Uint8Array) return { $bytes: [...value] };
  if (value instanceof TypeValue) return { $type: value.name };
  return Object.is(value, -0) ? { $double: "-0" } : undefined;
}

function revived(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { $int, $uint, $bytes, $type, $double }: Marked = value;
  if ($int !== undefined) return BigInt($int);
  if ($uint !== undefined) return new Uint(BigInt($uint));
  if ($bytes !== undefined) return Uint8Array.from($bytes);
  if ($type !== undefined) return new TypeValue($type);
  return $double === undefined ? value : -0;
}
