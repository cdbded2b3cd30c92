/** The program of a review's page. */

import { unpack } from "../pack.js";
import { panelData } from "./data.js";
import { Panel } from "./panel.js";

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

const root = document.getElementById("panel");
if (root !== null) new Panel(panelData(textOf("page-data")), unpack(textOf("page-model"))).mount(root);
