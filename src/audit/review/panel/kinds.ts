/** The sections of a large page, one for each resource kind: filled when a reader opens them, follows a link or prints. */

import { decompressed } from "../compressed.js";

/** Does nothing on a page without such sections. */
export async function openKindsOnDemand(): Promise<void> {
  const packed = document.getElementById("page-kinds")?.textContent;
  if (packed === undefined || packed === null) return;
  const bodies: readonly string[] = JSON.parse(await decompressed(packed));
  const kinds = [...document.querySelectorAll<HTMLDetailsElement>("details.kind")];
  const fill = (kind: HTMLDetailsElement) => {
    const i = kinds.indexOf(kind);
    const body = bodies[i];
    if (kind.dataset.filled !== undefined || body === undefined) return;
    kind.dataset.filled = "";
    // The page's own HTML, in which every text of a policy is escaped.
    kind.insertAdjacentHTML("beforeend", body);
  };
  for (const kind of kinds) kind.addEventListener("toggle", () => fill(kind));
  const follow = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const kind = kinds.find((one) => one.id === id.replace(/-.*$/, ""));
    if (kind === undefined) return;
    fill(kind);
    kind.open = true;
    // Goes there once more: the browser looked for the target before the section was filled.
    if (document.querySelector(":target") === null) location.replace(location.hash);
  };
  addEventListener("hashchange", follow);
  follow();
  let opened: readonly HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    opened = kinds.filter((kind) => !kind.open);
    for (const kind of kinds) {
      fill(kind);
      kind.open = true;
    }
  });
  addEventListener("afterprint", () => {
    for (const kind of opened) kind.open = false;
  });
}
