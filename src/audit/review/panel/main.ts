/** The program of a review's page. */

import { unpack } from "../../../bundle/unpack.js";
import type { PolicySet } from "../../../decisions/policy-set.js";
import { CLOSURES_ONLY } from "../../../engine/evaluate/full-equipment.js";
import { decompressed } from "../compressed.js";
import { panelData } from "./data.js";
import { element } from "./dom.js";
import { openKindsOnDemand } from "./kinds.js";
import { Panel } from "./panel.js";

async function textOf(id: string): Promise<string> {
  return await decompressed(document.getElementById(id)?.textContent ?? "");
}

async function policiesOf(id: string): Promise<PolicySet> {
  return unpack(JSON.parse(await textOf(id)), CLOSURES_ONLY);
}

async function start(root: HTMLElement): Promise<void> {
  const isChange = document.getElementById("page-before") !== null;
  const [data, policies, before] = await Promise.all([
    textOf("page-data"),
    policiesOf("page-model"),
    isChange ? policiesOf("page-before") : undefined,
  ]);
  new Panel(panelData(data), policies, before).mount(root);
}

function orSay(root: HTMLElement, started: Promise<void>): void {
  started.catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    root.append(element("p", { class: "bad", role: "alert" }, `This part does not work in this browser: ${reason}`));
  });
}

const operations = document.getElementById("operations");
if (operations !== null) orSay(operations, openKindsOnDemand());
const root = document.getElementById("panel");
if (root !== null) orSay(root, start(root));
