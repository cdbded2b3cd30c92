/** Requests to start from. */

import { isObject, type JsonValue, valueAtPath } from "../../../cel/json.js";
import type { Field } from "../forms.js";
import type { PanelData } from "./data.js";
import { changed } from "./json.js";

/** The first example, or else a request with a first value for each attribute. */
export function firstRequest(data: PanelData): JsonValue {
  const [example] = data.examples;
  if (example !== undefined) return example.request;
  const [first] = data.operations;
  const request = {
    key: { id: "key_1", roles: data.roles.slice(0, 1).concat(data.roles.length === 0 ? ["user"] : []), attr: {} },
    operation: first?.operation ?? "",
    resource: { kind: first?.kind ?? "", id: "resource_1", attr: {} },
    ...(data.permissionOnly ? {} : { account: { id: "account_1", attr: {} } }),
  };
  return filledIn(request, data);
}

/** The request with a value for each attribute of the kind's forms that it has none for. */
function filledIn(request: JsonValue, { forms, permissionOnly }: PanelData): JsonValue {
  const kind = valueAtPath(request, ["resource", "kind"]);
  const form = forms.kinds.find((one) => one.kind === kind);
  if (form === undefined) return request;
  let filled = request;
  for (const subject of permissionOnly ? (["key", "resource"] as const) : (["key", "resource", "account"] as const)) {
    for (const field of forms.forms[form[subject]] ?? []) {
      const path = [subject, "attr", field.name];
      const value = sampleOf(field);
      if (valueAtPath(filled, path) === undefined && value !== undefined) filled = changed(filled, path, value);
    }
  }
  return filled;
}

/** The request for another kind of resource: values that this kind cannot have are left out. */
export function forKind(request: JsonValue, kind: string, data: PanelData): JsonValue {
  const form = data.forms.kinds.find((one) => one.kind === kind);
  const fields = new Map((data.forms.forms[form?.resource ?? -1] ?? []).map((field) => [field.name, field]));
  const attr = valueAtPath(request, ["resource", "attr"]);
  const kept = Object.entries(isObject(attr) ? attr : {}).filter(([name, value]) => {
    const field = fields.get(name);
    return field !== undefined && (field.options?.includes(value) ?? true);
  });
  const other = changed(changed(request, ["resource", "kind"], kind), ["resource", "attr"], Object.fromEntries(kept));
  return filledIn(other, data);
}

function sampleOf({ type, options, fields }: Field): JsonValue | undefined {
  switch (type) {
    case "choice":
      return options?.[0];
    case "flag":
      return false;
    case "number":
    case "integer":
      return 0;
    case "text":
      return "x";
    case "texts":
      return [];
    case "group":
      return Object.fromEntries(
        (fields ?? []).flatMap((field) => {
          const value = sampleOf(field);
          return value === undefined ? [] : [[field.name, value]];
        }),
      );
    case "json":
      return undefined;
  }
}
