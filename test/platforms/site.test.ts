/**
 * The documentation site and its playground in a real browser, as built by `npm run docs`.
 *
 * @module-tag long
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decide } from "../../src/index.js";
import { ROOT } from "../support/built.js";
import { shipped } from "../support/policies.js";
import { say } from "../support/seed.js";
import { type StaticServer, serve } from "../support/static-server.js";
import { launch, NO_BROWSER } from "./browser.js";

const SITE = `${ROOT}site/dist`;
const WHY_NOT =
  NO_BROWSER ??
  (existsSync(`${SITE}/playground/main.js`) ? undefined : "skipped: there is no site/dist (npm run docs)");
if (WHY_NOT !== undefined) say(WHY_NOT);

/** All guides, and one page of each kind of the API reference, where pages are alike. */
const PAGES =
  WHY_NOT !== undefined
    ? []
    : [
        ...readdirSync(SITE, { recursive: true, encoding: "utf8" })
          .filter((path) => path.endsWith(".html") && path !== "404.html" && !path.startsWith("api/"))
          .sort(),
        "api/index.html",
        "api/keyward/index.html",
        "api/keyward/classes/PoliciesError.html",
        "api/keyward/functions/decide.html",
        "api/keyward/interfaces/LayerVerdict.html",
        "api/keyward/type-aliases/Decision.html",
        "api/keyward/node/variables/shippedPolicies.html",
      ];

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

describe.skipIf(WHY_NOT !== undefined)("in a browser", () => {
  let browser: Browser;
  let server: StaticServer;

  beforeAll(async () => {
    [browser, server] = await Promise.all([launch(), serve(SITE)]);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** Opens a page. `complaints` collects the browser's messages and requests to other hosts. */
  async function open(path: string) {
    const page = await browser.newPage({ colorScheme: "light", viewport: { width: 1280, height: 900 } });
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
    page.on("request", (request) => {
      if (!request.url().startsWith(server.origin) && !request.url().startsWith("data:")) {
        complaints.push(`request: ${request.url()}`);
      }
    });
    page.on("response", (response) => {
      if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
    });
    await page.goto(`${server.origin}/${path}`, { waitUntil: "networkidle" });
    if (path.startsWith("playground")) await decided(page);
    return { page, complaints };
  }

  /** Waits for the first decision of the playground: its state is restored from the address after the page is loaded. */
  const decided = (page: Page) => page.locator("#outcome .big").waitFor();

  test.each(PAGES)(
    "%s: nothing of the network, no complaints, nothing serious by axe, light and dark",
    async (path) => {
      const { page, complaints } = await open(path);
      if (path.startsWith("playground")) await explained(page);
      expect(complaints).toEqual([]);
      // The page's content security policy does not apply to Playwright's own evaluation.
      await page.evaluate(readFileSync(`${ROOT}site/node_modules/axe-core/axe.min.js`, "utf8"));
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const violations: readonly Violation[] = await page.evaluate(
          `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)`,
        );
        const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
        const told = serious.map(({ id, nodes }) => [
          id,
          nodes.map((node) => [node.target.join(" "), node.failureSummary]),
        ]);
        expect([colorScheme, told]).toEqual([colorScheme, []]);
      }
      await page.close();
    },
  );

  const outcomeOf = async (page: Page) => (await page.locator("#outcome .big span").textContent()) ?? "";
  const explained = (page: Page) => page.locator("#explanation:not([aria-busy])").waitFor();

  /** Opens a file of the shipped policies, and puts the cursor after the first line that contains `text`. */
  async function putCursorAfter(page: Page, file: string, text: string): Promise<void> {
    const before = readFileSync(`${ROOT}policies/${file}`, "utf8").split(text)[0] ?? "";
    await page.locator("#file").selectOption(file);
    await page.locator("#policy .cm-content").click();
    await page.keyboard.press("ControlOrMeta+Home");
    for (const _ of before.matchAll(/\n/g)) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
  }

  test("each example is decided as decide decides it", async () => {
    const { page, complaints } = await open("playground/index.html");
    const examples = readFileSync(`${ROOT}examples/requests.jsonl`, "utf8").trim().split("\n");
    expect(examples.length).toBeGreaterThan(20);
    for (const [i, line] of examples.entries()) {
      await page.locator("#request-example").selectOption({ index: i });
      const { example: _, expect: __, reasons: ___, ...request } = JSON.parse(line);
      const { outcome, permission, platform } = decide(shipped, request);
      expect(await outcomeOf(page)).toBe(outcome);
      const said = await page.locator("#outcome").textContent();
      const deciding = outcome === "forbidden" ? platform : permission;
      for (const { reason } of deciding.reasons) expect(said).toContain(`${reason} (policy for the `);
    }
    await explained(page);
    expect(await page.locator("#explanation").textContent()).toContain("Permission layer (what the key may do)");
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("what is typed is decided at once, with its findings where they are", async () => {
    const { page, complaints } = await open("playground/index.html");
    expect(await outcomeOf(page)).toBe("allow");
    await explained(page);
    expect(await page.locator("#problems li").count()).toBeGreaterThan(0);

    // One key press breaks the file, another repairs it.
    await putCursorAfter(page, "platform/api.yaml", "apiVersion");
    await page.keyboard.press("x");
    expect(await outcomeOf(page)).toBe("none");
    expect(await page.locator("#problems").textContent()).toContain("platform/api.yaml:");
    expect(await page.locator("#policy .cm-lintRange-error").count()).toBeGreaterThan(0);
    await page.keyboard.press("Backspace");
    expect(await outcomeOf(page)).toBe("allow");
    await explained(page);
    expect(await page.locator("#policy .cm-lintRange-error").count()).toBe(0);

    // A rule that applies to every request.
    await putCursorAfter(page, "platform/api.yaml", "- name: supported");
    await page.keyboard.press("Home");
    await page.keyboard.insertText("- { name: closed, actions: ['*'], roles: [account], effect: EFFECT_DENY }\n    ");
    expect(await outcomeOf(page)).toBe("forbidden");
    expect(await page.locator("#outcome").textContent()).toContain(
      "closed (policy for the resource kind api, version platform)",
    );
    await explained(page);
    expect(await page.locator("#explanation").textContent()).toMatch(/closed \(denies\): applies.*<- decides/);

    // A click on a finding moves the cursor to its place.
    await page.locator("#problems button").first().click();
    expect(await page.evaluate(`document.activeElement.id`)).toBe("policy");
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("the request is JSON, and any JSON is answered", async () => {
    const { page, complaints } = await open("playground/index.html");
    const content = page.locator("#request .cm-content");
    await content.click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText("[");
    expect(await page.locator("#outcome").textContent()).toContain("The request is not JSON");
    await page.keyboard.insertText("]");
    expect(await outcomeOf(page)).toBe("forbidden");
    expect(await page.locator("#outcome").textContent()).toContain("The question is at fault");
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("files are added, renamed and removed; a set may have no second layer", async () => {
    const { page, complaints } = await open("playground/index.html");
    await page.locator("#example").selectOption({ index: 1 });
    expect(await page.locator("#permission-only").isChecked()).toBe(true);
    expect(await outcomeOf(page)).toBe("insufficient_permissions");
    await page.locator("#permission-only").uncheck();
    expect(await outcomeOf(page)).toBe("none");
    await page.locator("#permission-only").check();
    await page.locator("#add").click();
    await page.locator("#path").fill("things/thing.yaml");
    expect(await page.locator("#file option:checked").textContent()).toBe("things/thing.yaml");
    await page.locator("#request .cm-content").click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(
      '{"key":{"id":"k","roles":["viewer"],"attr":{}},"operation":"read","resource":{"kind":"thing","id":"t","attr":{}}}',
    );
    expect(await outcomeOf(page)).toBe("allow");
    await page.locator("#remove").click();
    expect(await outcomeOf(page)).toBe("insufficient_permissions");
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("code from strings and other scripts are forbidden in the playground", async () => {
    const { page } = await open("playground/index.html");
    const title = await page.title();
    await page.evaluate(
      `{ const s = document.createElement("script"); s.textContent = "document.title = 'ran'"; document.body.append(s); }`,
    );
    expect(await page.title()).toBe(title);
    await page.evaluate(`{
      addEventListener("message", () => { try { new Function("document.title = 'ran'")(); } catch (e) { document.title = e.name; } });
      postMessage("", "*");
    }`);
    await expect.poll(() => page.title()).toBe("EvalError");
    const fetched = await page.evaluate(`fetch("https://example.invalid/").then(() => "ran", (e) => e.name)`);
    expect(fetched).toBe("TypeError");
    await page.close();
  });

  /** The fragment of the page's address after its next change. */
  async function nextFragment(page: Page, before: string): Promise<string> {
    await expect.poll(() => new URL(page.url()).hash).not.toBe(before);
    return new URL(page.url()).hash;
  }

  /** The first lines of the request: the editor renders only the visible part. */
  const requestText = (page: Page): Promise<string> =>
    page.evaluate(`[...document.getElementById("request").shadowRoot.querySelectorAll(".cm-line")]
      .map(({ textContent }) => textContent).slice(0, 10).join("\\n")`);

  test("the address keeps policies and request: a reload and a shared link restore them", async () => {
    const { page, complaints } = await open("playground/index.html");
    expect(new URL(page.url()).hash).toBe("");
    await putCursorAfter(page, "platform/api.yaml", "- name: supported");
    const opened = await nextFragment(page, "");
    await page.keyboard.press("Home");
    await page.keyboard.insertText("- { name: closed, actions: ['*'], roles: [account], effect: EFFECT_DENY }\n    ");
    const typed = await nextFragment(page, opened);
    await page.locator("#request .cm-content").click();
    await page.keyboard.press("ControlOrMeta+Home");
    await page.keyboard.press("End");
    await page.keyboard.insertText('"mine": "ü",');
    const fragment = await nextFragment(page, typed);
    expect(fragment).toMatch(/^#1\.[\w-]+$/);
    expect(fragment.length).toBeLessThan(4_000);
    const request = await requestText(page);
    expect(request).toContain('"mine": "ü",');
    expect(complaints).toEqual([]);

    await page.reload({ waitUntil: "networkidle" });
    await decided(page);
    const shared = await open(`playground/index.html${fragment}`);
    for (const restored of [page, shared.page]) {
      expect(await outcomeOf(restored)).toBe("forbidden");
      expect(await restored.locator("#outcome").textContent()).toContain(
        "closed (policy for the resource kind api, version platform)",
      );
      expect(await restored.locator("#file option:checked").textContent()).toBe("platform/api.yaml");
      expect(await requestText(restored)).toBe(request);
      expect(await restored.locator("#notice").textContent()).toBe("");
      expect(new URL(restored.url()).hash).toBe(fragment);
    }
    // Pastes a link into the same page, and a link to another example.
    await shared.page.evaluate(`location.hash = ${JSON.stringify(opened)}`);
    await expect.poll(() => outcomeOf(shared.page)).toBe("allow");
    await shared.page.locator("#example").selectOption({ index: 1 });
    await nextFragment(shared.page, opened);
    await shared.page.reload({ waitUntil: "networkidle" });
    await decided(shared.page);
    expect(await shared.page.locator("#permission-only").isChecked()).toBe(true);
    expect(await outcomeOf(shared.page)).toBe("insufficient_permissions");
    expect(shared.complaints).toEqual([]);
    await Promise.all([page.close(), shared.page.close()]);
  });

  /** A fragment with the text as the playground packs its state. */
  const fragmentOf = (text: string): string => `#1.${deflateRawSync(text).toString("base64url")}`;
  const LINK = { example: "shipped@00000000", permissionOnly: false, files: [], open: 0, request: "{}" };

  test.each([
    ["of another program", "#about", "was not made by this playground"],
    ["of letters that mean nothing", "#1.!!!", "is damaged or incomplete"],
    ["that was cut", fragmentOf(JSON.stringify(LINK)).slice(0, -20), "is damaged or incomplete"],
    ["that holds something else", fragmentOf('{"files":[1]}'), "does not hold policies and a request"],
    ["for an example that is gone", fragmentOf(JSON.stringify({ ...LINK, example: "x@1" })), "are no longer here"],
    ["that is too long", `#1.${"A".repeat(30_000)}`, "is longer than 30,000 characters"],
    ["that few letters make huge", fragmentOf(JSON.stringify(" ".repeat(4_000_000))), "is damaged or incomplete"],
  ])("a link %s is said to be bad, and the first example is shown", async (_, fragment, message) => {
    const { page, complaints } = await open(`playground/index.html${fragment}`);
    expect(await page.locator("#notice").textContent()).toContain(message);
    expect(await outcomeOf(page)).toBe("allow");
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("a link of a time with other example policies says so", async () => {
    const { page } = await open(
      `playground/index.html${fragmentOf(JSON.stringify({ ...LINK, files: ["platform/api.yaml", "gone.yaml"] }))}`,
    );
    expect(await page.locator("#notice").textContent()).toContain("have changed since this link was made");
    expect(await page.locator("#file option").allTextContents()).toEqual(["platform/api.yaml"]);
    await page.close();
  });

  test("a state that is too long for a link is said to be", async () => {
    const { page } = await open("playground/index.html");
    await page.locator("#request .cm-content").click();
    await page.keyboard.insertText(Array.from({ length: 6_000 }, () => Math.random().toString(36)).join(""));
    await expect.poll(() => page.locator("#notice").textContent()).toContain("Too long for a link");
    expect(new URL(page.url()).hash).toBe("");
    await page.close();
  });

  test.each([360, 768, 1300, 1920])("at a width of %i px no page scrolls sideways", async (width) => {
    for (const path of ["index.html", "docs/embedding.html", "playground/index.html"]) {
      const { page } = await open(path);
      await page.setViewportSize({ width, height: 900 });
      const isWide = () => page.evaluate(`[document.documentElement.scrollWidth, innerWidth]`);
      expect([path, await isWide()]).toEqual([path, [width, width]]);
      if (path.startsWith("playground")) {
        await explained(page);
        for (const index of [1, 0]) await page.locator("#example").selectOption({ index });
        const examples = await page.locator("#request-example option").allTextContents();
        const longest = examples.indexOf(examples.toSorted((a, b) => b.length - a.length)[0] ?? "");
        await page.locator("#request-example").selectOption({ index: longest });
        await explained(page);
        expect([path, await isWide()]).toEqual([path, [width, width]]);
      }
      await page.close();
    }
  });

  test("light and dark are chosen once for all pages", async () => {
    const { page } = await open("docs/embedding.html");
    const isDark = () => page.evaluate(`document.documentElement.classList.contains("dark")`);
    expect(await isDark()).toBe(false);
    await page.locator(".VPNavBarAppearance button").click();
    expect(await isDark()).toBe(true);
    await page.goto(`${server.origin}/playground/index.html`, { waitUntil: "networkidle" });
    expect(await isDark()).toBe(true);
    await page.getByRole("switch", { name: "Dark theme", checked: true }).click();
    expect(await isDark()).toBe(false);
    await page.goto(`${server.origin}/docs/embedding.html`, { waitUntil: "networkidle" });
    expect(await isDark()).toBe(false);
    // The system setting follows the system's colour scheme.
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(isDark).toBe(true);
    await page.close();
  });

  test("the playground has the links of the other pages", async () => {
    const linksOf = async (path: string, links: string) => {
      const { page } = await open(path);
      const found = await page
        .locator(links)
        .evaluateAll<string[], { text: string; href: string }>((all) =>
          all.map(({ text, href }) => `${text.trim()} ${href}`),
        );
      await page.close();
      return found;
    };
    const links = await linksOf("docs/embedding.html", ".VPNavBarMenu a");
    expect(links).toHaveLength(5);
    expect(await linksOf("playground/index.html", "header nav a")).toEqual(links);
    expect(await linksOf("playground/index.html", "header .title")).toEqual([`keyward ${server.origin}/index.html`]);
  });

  test("the front page shows how to install, what is decided, and where each reader goes on", async () => {
    const { page, complaints } = await open("index.html");
    expect(await page.locator(".language-sh code").first().textContent()).toContain("npm install keyward");
    expect(await page.locator(".language-js code").first().textContent()).toContain("decide(policies,");
    const picture = page.getByRole("img", { name: "Two layers decide each request" });
    expect(await picture.locator("desc").textContent()).toContain("the outcome is forbidden");
    const links = await page
      .locator("#VPContent a")
      .evaluateAll<string[], { href: string }>((all) => all.map(({ href }) => href));
    for (const guide of ["embedding", "testing", "auditing", "benchmarks"]) {
      expect(links).toContain(`${server.origin}/docs/${guide}.html`);
    }
    expect(complaints).toEqual([]);
    await page.close();
  });

  test.each(["index.html", "docs/embedding.html", "api/index.html", "404.html", "playground/index.html"])(
    "%s ends with the version and the licence",
    async (path) => {
      const { page } = await open(path);
      const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
      const footer = page.locator("footer").last();
      expect(await footer.isVisible()).toBe(true);
      expect(await footer.textContent()).toContain(`keyward ${version}, released under the Apache-2.0 licence`);
      await footer.getByRole("link", { name: "Apache-2.0 licence" }).click();
      await page.waitForURL(`${server.origin}/LICENSE.html`);
      await page.close();
    },
  );

  /** The addresses of search results, best first. */
  async function found(query: string): Promise<readonly string[]> {
    const { page, complaints } = await open("index.html");
    await page.keyboard.press("ControlOrMeta+k");
    await page.locator("#localsearch-input").fill(query);
    await page.locator("#localsearch-list a").first().waitFor();
    const hrefs = await page
      .locator("#localsearch-list a")
      .evaluateAll<string[], { href: string }>((all) => all.map(({ href }) => href));
    expect(complaints).toEqual([]);
    await page.close();
    return hrefs.map((href) => href.replace(server.origin, ""));
  }

  test.each([
    ["roles", "/docs/policies.html"],
    ["fastify", "/docs/embedding.html"],
    ["how do I add a role", "/docs/policies.html#add-a-role"],
    ["quota", "/README.html"],
  ])("the search for %s finds guides first, and %s among the best three", async (query, guide) => {
    const best = (await found(query)).slice(0, 3);
    expect(best.filter((address) => address.startsWith("/api/"))).toEqual([]);
    expect(
      best.some((address) => address.startsWith(guide)),
      best.join(" "),
    ).toBe(true);
  });

  test("the search for the name of a symbol finds its page first", async () => {
    const [first = ""] = await found("PoliciesError");
    expect(first).toMatch(/^\/api\/keyward\/classes\/PoliciesError\.html/);
  });
});
