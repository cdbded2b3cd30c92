/** The playground: editors for policies and a request, and the decision of the engine in this page. */

import { element, lineOf } from "../../src/audit/review/panel/dom.js";
import type { JsonValue } from "../../src/cel/json.js";
import type { PolicyFile } from "../../src/index.js";
import { Accountant } from "./accountant.js";
import { Address } from "./address.js";
import { decisionLines } from "./decision.js";
import { Editor } from "./editor.js";
import { Evaluator, type Problem } from "./evaluation.js";
import type { Example } from "./example.js";
import type { Shared } from "./link.js";

const NEW_FILE = `---
apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: thing
  version: default
  rules:
    - actions: [read]
      roles: [viewer]
      effect: EFFECT_ALLOW
      name: viewer_may_read
`;

class Playground {
  private readonly examples: readonly Example[];
  private readonly example = the("example", HTMLSelectElement);
  private readonly permissionOnly = the("permission-only", HTMLInputElement);
  private readonly file = the("file", HTMLSelectElement);
  private readonly path = the("path", HTMLInputElement);
  private readonly requestExample = the("request-example", HTMLSelectElement);
  private readonly outcome = the("outcome", HTMLElement);
  private readonly took = the("took", HTMLElement);
  private readonly problemList = the("problems", HTMLElement);
  private readonly explanation = the("explanation", HTMLElement);
  private readonly policy = new Editor(the("policy", HTMLElement), "Text of the policy file", () => this.typed());
  private readonly request = new Editor(the("request", HTMLElement), "The request as JSON", () => this.evaluate());
  private readonly evaluator = new Evaluator();
  private readonly accountant = new Accountant(
    ({ problems, explanation }) => {
      this.showProblems(problems);
      this.explanation.replaceChildren(...explanation.trimEnd().split("\n").map(lineOf));
      this.explanation.removeAttribute("aria-busy");
    },
    (reason) => this.explanation.replaceChildren(`No account: ${reason}`),
  );
  private readonly address: Address;
  private files: readonly PolicyFile[] = [];
  private current = 0;

  constructor(examples: readonly Example[]) {
    this.examples = examples;
    const notice = the("notice", HTMLElement);
    this.address = new Address(
      examples,
      (shared) => this.show(shared),
      (message) => notice.replaceChildren(message),
    );
    fillOptions(
      this.example,
      examples.map(({ name }) => name),
    );
    this.example.addEventListener("change", () => this.begin(this.chosen));
    this.permissionOnly.addEventListener("change", () => this.evaluate());
    this.requestExample.addEventListener("change", () => this.ask());
    this.file.addEventListener("change", () => this.turnTo(this.file.selectedIndex));
    this.path.addEventListener("input", () => this.rename());
    the("add", HTMLButtonElement).addEventListener("click", () => this.add());
    the("remove", HTMLButtonElement).addEventListener("click", () => this.remove());
  }

  /** Shows the state in the address, or the first example. */
  async start(): Promise<void> {
    await this.address.open();
  }

  private get chosen(): Example | undefined {
    return this.examples[this.example.selectedIndex];
  }

  /** Shows an example with its first request. */
  private begin(example: Example | undefined): void {
    if (example === undefined) return;
    this.restore(beginningOf(example));
    this.keep();
  }

  private show(shared: Shared | undefined): void {
    const [first] = this.examples;
    if (shared !== undefined) this.restore(shared);
    else if (first !== undefined) this.restore(beginningOf(first));
  }

  private restore({ example, permissionOnly, files, open, request }: Shared): void {
    this.example.selectedIndex = this.examples.indexOf(example);
    this.permissionOnly.checked = permissionOnly;
    this.files = files;
    fillOptions(
      this.requestExample,
      example.requests.map(({ name }) => name),
    );
    // If the reader wrote the request, the selection is empty.
    this.requestExample.selectedIndex = example.requests.findIndex((one) => textOf(one.request) === request);
    this.open(files[open] === undefined ? 0 : open);
    this.request.fill(request, "json");
    this.decide();
  }

  private keep(): void {
    const example = this.chosen;
    if (example === undefined) return;
    const { files, current: open } = this;
    this.address.keep({
      example,
      permissionOnly: this.permissionOnly.checked,
      files,
      open,
      request: this.request.text,
    });
  }

  private ask(): void {
    const asked = this.chosen?.requests[this.requestExample.selectedIndex];
    this.request.fill(textOf(asked?.request ?? {}), "json");
    this.evaluate();
  }

  /** Opens a file and writes its index to the address. */
  private turnTo(index: number): void {
    this.open(index);
    this.keep();
  }

  private open(index: number): void {
    this.current = index;
    const { path = "", text = "" } = this.files[index] ?? {};
    fillOptions(
      this.file,
      this.files.map((file) => file.path),
    );
    this.file.selectedIndex = index;
    this.path.value = path;
    this.policy.fill(text, path.endsWith(".json") ? "json" : "yaml");
  }

  private typed(): void {
    this.replace({ path: this.path.value, text: this.policy.text });
    this.evaluate();
  }

  private rename(): void {
    this.replace({ path: this.path.value, text: this.policy.text });
    const option = this.file.options[this.current];
    if (option !== undefined) option.text = this.path.value;
    this.evaluate();
  }

  private replace(file: PolicyFile): void {
    this.files = this.files.toSpliced(this.current, 1, file);
  }

  private add(): void {
    const taken = new Set(this.files.map(({ path }) => path));
    let path = "new.yaml";
    for (let n = 2; taken.has(path); n++) path = `new-${n}.yaml`;
    this.files = [...this.files, { path, text: NEW_FILE }];
    this.open(this.files.length - 1);
    this.evaluate();
  }

  private remove(): void {
    this.files = this.files.toSpliced(this.current, 1);
    this.open(Math.max(0, this.current - 1));
    this.evaluate();
  }

  /** Called after a change by the reader. */
  private evaluate(): void {
    this.decide();
    this.keep();
  }

  /** Decides at once; the account follows when the worker has finished. */
  private decide(): void {
    const started = performance.now();
    const state = { files: this.files, permissionOnly: this.permissionOnly.checked, request: this.request.text };
    const decided = this.evaluator.decide(state);
    this.outcome.replaceChildren(...decisionLines(decided));
    this.took.textContent = `Compiled and decided in ${(performance.now() - started).toFixed(1)} ms.`;
    if (decided.policies === undefined) this.showProblems(decided.problems);
    this.explanation.setAttribute("aria-busy", "true");
    this.accountant.ask(state);
  }

  private showProblems(problems: readonly Problem[]): void {
    const path = this.files[this.current]?.path;
    this.policy.mark(problems.filter(({ file }) => file === path));
    const items = problems.map((problem) => this.problemItem(problem));
    this.problemList.replaceChildren(...(items.length > 0 ? items : [element("li", { class: "good" }, "Nothing.")]));
  }

  private problemItem({ file, line, column, severity, code, message, hint }: Problem): HTMLElement {
    const place = element("button", { type: "button" }, `${file}:${line}:${column}`);
    place.addEventListener("click", () => {
      const index = this.files.findIndex(({ path }) => path === file);
      if (index >= 0 && index !== this.current) {
        this.open(index);
        this.evaluate();
      }
      this.policy.goTo(line, column);
    });
    const said = hint === undefined ? message : `${message} (${hint})`;
    return element("li", {}, place, " ", element("span", { class: severity }, severity), ` ${code}: ${said}`);
  }
}

/** The initial state of an example. */
function beginningOf(example: Example): Shared {
  const { permissionOnly, files, requests } = example;
  const open = Math.max(
    0,
    files.findIndex(({ path }) => path.endsWith(".yaml")),
  );
  return { example, permissionOnly, files, open, request: textOf(requests[0]?.request ?? {}) };
}

function textOf(request: JsonValue): string {
  return JSON.stringify(request, null, 2);
}

function fillOptions(select: HTMLSelectElement, names: readonly string[]): void {
  select.replaceChildren(...names.map((name) => element("option", {}, name)));
}

function the<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${id}`);
  return found;
}

const examples: readonly Example[] = await (await fetch("examples.json")).json();
await new Playground(examples).start();
