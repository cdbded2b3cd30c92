/** A control for each attribute. Every one has a label, and every change is a new value for its path. */

import { isObject, type JsonValue, valueAtPath } from "../../../cel/json.js";
import { visibleJson } from "../../../policy/escape.js";
import type { Field } from "../forms.js";
import { element, idOf } from "./dom.js";
import { parseJson, textsOf } from "./json.js";

export interface Bound {
  readonly request: () => JsonValue;
  readonly set: (path: readonly string[], value: JsonValue | undefined) => void;
}

const ABSENT = "(absent)";

/** The controls for the attributes at a path; attributes that no field describes are edited as JSON. */
export function fieldControls(fields: readonly Field[], path: readonly string[], bound: Bound): readonly HTMLElement[] {
  const value = valueAtPath(bound.request(), path);
  const known = new Set(fields.map(({ name }) => name));
  const others = isObject(value) ? Object.keys(value).filter((name) => !known.has(name)) : [];
  return [...fields, ...others.map((name): Field => ({ name, type: "json" }))].map((field) =>
    fieldControl(field, [...path, field.name], bound),
  );
}

function fieldControl(field: Field, path: readonly string[], bound: Bound): HTMLElement {
  const value = valueAtPath(bound.request(), path);
  if (field.type === "group" && (value === undefined || isObject(value))) {
    const legend = element("legend", {}, field.name);
    return element("fieldset", {}, legend, ...fieldControls(field.fields ?? [], path, bound));
  }
  return row(
    field,
    path,
    controlFor(field, value, (next) => bound.set(path, next)),
  );
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export function row(
  field: Pick<Field, "name" | "description">,
  path: readonly string[],
  control: Control,
): HTMLElement {
  const id = idOf(path);
  control.id = id;
  const label = element("label", { for: id }, field.name);
  if (field.description === undefined) return element("div", { class: "field" }, label, control);
  control.setAttribute("aria-describedby", `${id}-about`);
  const about = element("small", { id: `${id}-about` }, field.description);
  return element("div", { class: "field" }, label, control, about);
}

type OnValueChange = (value: JsonValue | undefined) => void;

/** A value that is not of its field's type can be edited all the same, as JSON. */
function controlFor(field: Field, value: JsonValue | undefined, change: OnValueChange): Control {
  switch (field.type) {
    case "choice":
      return choiceControl(field.options ?? [], value, change) ?? jsonControl(value, change);
    case "flag":
      return value === undefined || typeof value === "boolean"
        ? flagControl(value, change)
        : jsonControl(value, change);
    case "number":
    case "integer":
      return value === undefined || typeof value === "number"
        ? numberControl(field.type, value, change)
        : jsonControl(value, change);
    case "text":
      return value === undefined || typeof value === "string" ? textControl(value, change) : jsonControl(value, change);
    case "texts": {
      const texts = value === undefined ? [] : textsOf(value);
      return texts === undefined ? jsonControl(value, change) : textsControl(texts, change);
    }
    default:
      return jsonControl(value, change);
  }
}

function choiceControl(
  options: readonly JsonValue[],
  value: JsonValue | undefined,
  change: OnValueChange,
): Control | undefined {
  const written = options.map((option) => JSON.stringify(option));
  const current = value === undefined ? -1 : written.indexOf(JSON.stringify(value));
  if (value !== undefined && current < 0) return undefined;
  const control = element("select", {}, element("option", { value: "-1" }, ABSENT));
  options.forEach((option, i) => {
    control.append(
      element("option", { value: String(i) }, typeof option === "string" ? option : JSON.stringify(option)),
    );
  });
  control.value = String(current);
  control.addEventListener("change", () => change(options[Number(control.value)]));
  return control;
}

/** Neither on nor off: absent. */
function flagControl(value: boolean | undefined, change: OnValueChange): Control {
  const control = element("input", { type: "checkbox" });
  control.checked = value === true;
  control.indeterminate = value === undefined;
  control.addEventListener("change", () => change(control.checked));
  return control;
}

function numberControl(type: "number" | "integer", value: number | undefined, change: OnValueChange): Control {
  const control = element("input", { type: "number", step: type === "integer" ? "1" : "any", placeholder: ABSENT });
  control.value = value === undefined ? "" : String(value);
  control.addEventListener("input", () => {
    change(control.value === "" ? undefined : Number(control.value));
  });
  return control;
}

export function textControl(value: string | undefined, change: OnValueChange): HTMLInputElement {
  const control = element("input", {
    type: "text",
    placeholder: value === undefined ? ABSENT : "",
    autocomplete: "off",
  });
  control.spellcheck = false;
  control.value = value ?? "";
  control.addEventListener("input", () => change(control.value));
  return control;
}

export function textsControl(texts: readonly string[], change: OnValueChange): Control {
  const control = element("textarea", {
    rows: String(Math.min(6, Math.max(2, texts.length + 1))),
    placeholder: "one a line",
  });
  control.spellcheck = false;
  control.value = texts.join("\n");
  control.addEventListener("input", () => {
    change(control.value === "" ? [] : control.value.split("\n").filter((line) => line !== ""));
  });
  return control;
}

function jsonControl(value: JsonValue | undefined, change: OnValueChange): Control {
  const control = element("input", { type: "text", placeholder: `${ABSENT}; JSON`, autocomplete: "off" });
  control.spellcheck = false;
  control.value = value === undefined ? "" : visibleJson(JSON.stringify(value));
  control.addEventListener("input", () => {
    try {
      change(control.value.trim() === "" ? undefined : parseJson(control.value));
      control.removeAttribute("aria-invalid");
    } catch {
      control.setAttribute("aria-invalid", "true");
    }
  });
  return control;
}
