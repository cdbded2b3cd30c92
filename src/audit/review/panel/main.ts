/** The program of a review's page. */

import { unpack } from "../../../bundle/unpack.js";
import { WITHOUT_CODE } from "../../../engine/evaluate/whole.js";
import { decompressed } from "../compressed.js";
import { panelData } from "./data.js";
import { element } from "./dom.js";
import { Panel } from "./panel.js";

async function textOf(id: string): Promise<string> {
  return await decompressed(document.getElementById(id)?.textContent ?? "");
}

async function start(root: HTMLElement): Promise<void> {
  const [data, model] = await Promise.all([textOf("page-data"), textOf("page-model")]);
  new Panel(panelData(data), unpack(JSON.parse(model), WITHOUT_CODE)).mount(root);
}

const root = document.getElementById("panel");
if (root !== null) {
  start(root).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    root.append(element("p", { class: "bad", role: "alert" }, `This part does not work in this browser: ${reason}`));
  });
}
