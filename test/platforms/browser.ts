/** A real browser, if the machine has one. */

import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const CANDIDATES = [
  process.env.KEYWARD_CHROMIUM ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

export const CHROMIUM = CANDIDATES.find((path) => path !== "" && existsSync(path));

export const NO_BROWSER =
  CHROMIUM === undefined ? "skipped: there is no Chromium (apt-get install chromium, or KEYWARD_CHROMIUM)" : undefined;

/** Launches a browser with a temporary profile. */
export async function launch(): Promise<Browser> {
  return await chromium.launch({
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
