/** The values of the texts that conditions look for, for one request. */

import { type Expr, operandsOf } from "../cel/ast.js";
import { requestValueOf } from "../cel/expression-usage.js";
import { parseTimestamp } from "../cel/time.js";
import type { PermissionRequest } from "../decisions/types.js";
import { Activation } from "../engine/evaluate/activation.js";
import type { OutputCode } from "../engine/evaluate/closures.js";
import type { Layer } from "../engine/evaluate/layer.js";
import type { Definitions } from "../policy/model.js";
import type { SearchedText } from "./list-search.js";

/** A text as fixed pieces and the two ids that most texts are made of. */
type Simple = readonly (string | { readonly id: "key" | "resource" })[];

interface TextCode {
  readonly simple: Simple | undefined;
  readonly code: OutputCode;
}

const codes = new WeakMap<SearchedText, TextCode>();

const NO_ATTRIBUTES = Object.freeze(Object.create(null));

export class SoughtTexts {
  private readonly layer: Layer;
  private readonly request: PermissionRequest;
  private readonly disclose: boolean;
  private activation: Activation | undefined = undefined;

  /**
   * Without `disclose`, texts are made as if the resource had no attributes: the invariant "hints tell nothing of the
   * resource".
   */
  constructor(layer: Layer, request: PermissionRequest, disclose: boolean) {
    this.layer = layer;
    this.request = request;
    this.disclose = disclose;
  }

  /** The text, or each text of a list. Empty if the expression errs, or its value is of another type. */
  of(sought: SearchedText, definitions: Definitions): readonly string[] {
    const { simple, code } = this.codeOf(sought, definitions);
    if (simple !== undefined) return [this.joined(simple)];
    const value = code(this.begun());
    if (typeof value === "string") return [value];
    return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
  }

  private codeOf(sought: SearchedText, definitions: Definitions): TextCode {
    const known = codes.get(sought);
    if (known !== undefined) return known;
    const { expr } = sought;
    const position = () => ({ file: "", line: 0, column: 0 });
    const code = this.layer.closures.output({ source: "", expr, position }, definitions);
    const made = { simple: simpleOf(expr), code };
    codes.set(sought, made);
    return made;
  }

  private joined(simple: Simple): string {
    const { key, resource } = this.request;
    let text = "";
    for (const part of simple) text += typeof part === "string" ? part : part.id === "key" ? key.id : resource.id;
    return text;
  }

  private begun(): Activation {
    const { layer, request, disclose } = this;
    const { key, resource, now } = request;
    const activation = this.activation ?? new Activation();
    this.activation = activation;
    const principal = {
      id: key.id,
      roles: key.roles,
      attr: key.attr ?? key.attributes ?? NO_ATTRIBUTES,
      scope: key.scope ?? "",
    };
    const attr = disclose ? (resource.attr ?? resource.attributes ?? NO_ATTRIBUTES) : NO_ATTRIBUTES;
    const { kind, id, scope = "" } = resource;
    const clock = now === undefined ? undefined : parseTimestamp(now.toISOString());
    activation.begin(principal, { kind, id, attr, scope }, clock, layer.globals);
    return activation;
  }
}

function simpleOf(expr: Expr): Simple | undefined {
  const parts = expr.kind === "call" && expr.fn === "_+_" ? operandsOf(expr) : [expr];
  const simple = parts.flatMap((part): Simple => {
    if (part.kind === "literal" && typeof part.value === "string") return [part.value];
    const root = requestValueOf(part)?.root.path;
    return root === "R.id" ? [{ id: "resource" }] : root === "P.id" ? [{ id: "key" }] : [];
  });
  return simple.length === parts.length ? simple : undefined;
}
