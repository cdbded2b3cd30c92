/** The what-if panel: a request in a form, and beside it the decision of the engine in this page. */

import { type JsonValue, valueAtPath } from "../../../cel/json.js";
import type { PolicySet } from "../../../decisions/policy-set.js";
import { visible, visibleJson } from "../../../policy/escape.js";
import type { Field } from "../forms.js";
import { type Bound, fieldControls, row, textControl, textsControl } from "./controls.js";
import type { PanelData } from "./data.js";
import { element } from "./dom.js";
import { changed, parseJson, textsOf } from "./json.js";
import { Result } from "./result.js";
import { firstRequest, forKind } from "./start.js";

export class Panel {
  private readonly data: PanelData;
  private readonly result: Result;
  private readonly form = element("div");
  private readonly json = element("textarea", {
    class: "json",
    rows: "14",
    id: "w-json",
    "aria-describedby": "w-json-fault",
  });
  private readonly fault = element("p", { class: "bad", id: "w-json-fault", role: "alert" });
  private request: JsonValue;

  /** `before`: the older policies, of a change. */
  constructor(data: PanelData, policies: PolicySet, before: PolicySet | undefined) {
    this.data = data;
    this.result = new Result(policies, before);
    this.request = firstRequest(data);
  }

  mount(root: HTMLElement): void {
    const raw = element(
      "details",
      {},
      element("summary", {}, "The request as JSON"),
      element("label", { for: "w-json" }, "Edit it here to leave attributes out, or to give them other types."),
      this.json,
      this.fault,
    );
    this.json.spellcheck = false;
    this.json.addEventListener("input", () => this.readJson());
    const left = element("form", { "aria-label": "A request" }, ...this.presets(), this.form, raw);
    left.addEventListener("submit", (event) => event.preventDefault());
    const subjects = this.data.permissionOnly ? "the key or the resource" : "the key, the account or the resource";
    const intro = `Change ${subjects}, and see the decision. Nothing leaves this page.`;
    root.append(element("p", {}, intro), element("div", { class: "panel" }, left, this.result.root));
    this.build();
  }

  private readonly bound: Bound = {
    request: () => this.request,
    set: (path, value) => {
      this.request = changed(this.request, path, value);
      this.show();
    },
  };

  private presets(): readonly HTMLElement[] {
    const { examples } = this.data;
    if (examples.length === 0) return [];
    const select = element("select");
    examples.forEach(({ name }, i) => {
      select.append(element("option", { value: String(i) }, name));
    });
    select.addEventListener("change", () => {
      this.request = examples[Number(select.value)]?.request ?? this.request;
      this.build();
    });
    return [row({ name: "Start from" }, ["preset"], select)];
  }

  /** Makes the form anew, for the request as it is. */
  private build(): void {
    const { data, bound } = this;
    const kind = valueAtPath(this.request, ["resource", "kind"]);
    const forms = data.forms.kinds.find((one) => one.kind === kind);
    const fields = (index: number | undefined): readonly Field[] => data.forms.forms[index ?? -1] ?? [];
    this.form.replaceChildren(
      this.operation(),
      this.subject("Key", "key", [this.roles(), ...fieldControls(fields(forms?.key), ["key", "attr"], bound)]),
      this.subject("Resource", "resource", fieldControls(fields(forms?.resource), ["resource", "attr"], bound)),
      ...(data.permissionOnly
        ? []
        : [this.subject("Account", "account", fieldControls(fields(forms?.account), ["account", "attr"], bound))]),
      this.clock(),
    );
    this.show();
  }

  private show(): void {
    this.json.value = visibleJson(JSON.stringify(this.request, null, 2));
    this.json.removeAttribute("aria-invalid");
    this.fault.textContent = "";
    this.result.show(this.request);
  }

  private readJson(): void {
    try {
      this.request = parseJson(this.json.value);
    } catch (error) {
      this.json.setAttribute("aria-invalid", "true");
      this.fault.textContent = `This is not JSON: ${error instanceof Error ? error.message : String(error)}`;
      return;
    }
    const { value, selectionStart } = this.json;
    this.build();
    this.json.value = value;
    this.json.setSelectionRange(selectionStart, selectionStart);
  }

  private operation(): HTMLElement {
    const { operations } = this.data;
    const select = element("select");
    const [kind, operation] = [
      valueAtPath(this.request, ["resource", "kind"]),
      valueAtPath(this.request, ["operation"]),
    ];
    for (const one of new Set(operations.map((each) => each.kind))) {
      const group = element("optgroup", { label: visible(`on ${one}`) });
      operations.forEach((each, i) => {
        if (each.kind === one) group.append(element("option", { value: String(i) }, each.operation));
      });
      select.append(group);
    }
    const current = operations.findIndex((each) => each.kind === kind && each.operation === operation);
    if (current < 0) select.prepend(element("option", { value: "-1" }, `${String(operation)} on ${String(kind)}`));
    select.value = String(current);
    select.addEventListener("change", () => {
      const chosen = operations[Number(select.value)];
      if (chosen === undefined) return;
      const isOther = chosen.kind !== valueAtPath(this.request, ["resource", "kind"]);
      const request = isOther ? forKind(this.request, chosen.kind, this.data) : this.request;
      this.request = changed(request, ["operation"], chosen.operation);
      this.build();
      document.getElementById("w-operation")?.focus();
    });
    return row({ name: "Operation" }, ["operation"], select);
  }

  private subject(title: string, name: string, controls: readonly HTMLElement[]): HTMLElement {
    const id = valueAtPath(this.request, [name, "id"]);
    const control = textControl(typeof id === "string" ? id : undefined, (value) =>
      this.bound.set([name, "id"], value),
    );
    return element(
      "fieldset",
      {},
      element("legend", {}, title),
      row({ name: "id" }, [name, "id"], control),
      ...controls,
    );
  }

  /** A box for each role that the policies know, and a list for others. */
  private roles(): HTMLElement {
    const { roles } = this.data;
    const path = ["key", "roles"];
    const held = () => textsOf(valueAtPath(this.request, path)) ?? [];
    const boxes = roles.map((role, i) => {
      const box = element("input", { type: "checkbox" });
      box.checked = held().includes(role);
      box.addEventListener("change", () => {
        const others = held().filter((each) => each !== role);
        this.bound.set(path, box.checked ? [...others, role] : others);
      });
      return row({ name: role }, ["role", String(i)], box);
    });
    const unknown = held().filter((role) => !roles.includes(role));
    const list = textsControl(unknown, (value) => {
      const given = textsOf(value) ?? [];
      this.bound.set(path, [...held().filter((role) => roles.includes(role)), ...given]);
    });
    const other = row({ name: "other roles" }, ["roles", "other"], list);
    return element("fieldset", {}, element("legend", {}, "roles"), ...boxes, other);
  }

  private clock(): HTMLElement {
    const now = valueAtPath(this.request, ["now"]);
    const control = textControl(typeof now === "string" ? now : "", (value) => {
      this.bound.set(["now"], value === "" ? undefined : value);
    });
    const description = "Only for policies that read the time. For example 2026-01-31T12:00:00Z.";
    return row({ name: "Time", description }, ["now"], control);
  }
}
