/**
 * The review page in a real browser: it loads, makes no network requests, works by keyboard, and decides.
 *
 * @module-tag long
 */

import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildReviewPanel } from "../../scripts/review-panel.mjs";
import { searchDecisionChanges } from "../../src/audit/index.js";
import { reviewChange } from "../../src/audit/review/change/change.js";
import { lawsByText } from "../../src/audit/review/change/claims.js";
import { changeHtml, type ReviewExample, reviewHtml } from "../../src/audit/review/html/page.js";
import { review } from "../../src/audit/review/review.js";
import { reviewTests } from "../../src/audit/review/tested.js";
import type { Review } from "../../src/audit/review/types.js";
import { decideAny } from "../../src/decisions/decide.js";
import { type DecisionRequest, decide, type PolicyFile, type PolicySet } from "../../src/index.js";
import { rightOrThrow } from "../../src/policy/policies-error.js";
import { readClaims } from "../../src/proof/claims/read.js";
import { readSuiteDirectory } from "../../src/testing/directory.js";
import type { SuiteFiles } from "../../src/testing/files.js";
import { HOSTILE_FILES, HOSTILE_MARKS } from "../audit/review/hostile.js";
import { changed } from "../audit/seeds.js";
import { ROOT } from "../support/built.js";
import { policy, when } from "../support/compose.js";
import { manyPolicies } from "../support/many.js";
import { compiled, SHIPPED_ROOT, shipped } from "../support/policies.js";
import { say } from "../support/seed.js";
import { launch, NO_BROWSER } from "./browser.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

if (NO_BROWSER !== undefined) say(NO_BROWSER);

/** The shipped policies with one changed boundary. */
const CHANGED = { files: changed("platform/api.yaml", "R.attr.keyCount == 0", "R.attr.keyCount <= 1") };

/** The policies of a large set: two for each kind. */
const MANY = 300;

/** The number of pages of a PDF. */
const pagesOf = (pdf: Buffer) => (pdf.toString("latin1").match(/\/Type\s*\/Page\b(?!s)/g) ?? []).length;

async function shippedSuites(): Promise<SuiteFiles> {
  return rightOrThrow(await readSuiteDirectory(SHIPPED_ROOT)());
}

/** The claims and laws of the shipped policies, none of them proved but by the text. */
async function shippedClaims(): Promise<Pick<Review, "laws" | "unchecked">> {
  const file = "testdata/service.claims.yaml";
  const { claims } = readClaims(file, await readFile(`${SHIPPED_ROOT}/${file}`, "utf8"));
  const { laws, unchecked } = await lawsByText(shipped);
  return { laws, unchecked: [...unchecked, ...claims.map(({ claim }) => ({ claim, position: `${file}:1:1` }))] };
}

/** A file with inverted comparisons. */
function turned({ path, text }: PolicyFile): PolicyFile {
  return { path, text: text.replaceAll("R.attr.x ==", "R.attr.x !=") };
}

const examples: readonly ReviewExample[] = (await readFile(`${ROOT}examples/requests.jsonl`, "utf8"))
  .trim()
  .split("\n")
  .map((line) => {
    const {
      example,
      expect: _,
      reasons: __,
      ...request
    }: { example: string; expect: string; reasons: string[] } & DecisionRequest = JSON.parse(line);
    return { name: example, request };
  });

describe.skipIf(NO_BROWSER !== undefined)("in a browser", () => {
  let browser: Browser;
  let directory: string;
  let panel: string;

  beforeAll(async () => {
    browser = await launch();
    directory = await mkdtemp(join(tmpdir(), "keyward-review-"));
    panel = await buildReviewPanel();
  });

  const alone = policy({
    rules: [`name: read, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when("R.attr.open == true")}`],
  });

  const PAGES = {
    shipped: () => writePage("shipped", shipped, examples),
    hostile: () => writePage("hostile", compiled(HOSTILE_FILES), []),
    change: () => writeChange("change", shipped, compiled(CHANGED.files)),
    "hostile-change": () => writeChange("hostile-change", compiled(HOSTILE_FILES.map(turned)), compiled(HOSTILE_FILES)),
    many: () => writePage("many", compiled(manyPolicies(MANY)), []),
    alone: () => writePage("alone", compiled([{ path: "doc.yaml", text: alone }], { platform: "none" }), []),
  };

  type PageName = keyof typeof PAGES;

  /** Each page is written when a test first opens it. */
  const written = new Map<PageName, Promise<void>>();

  afterAll(async () => {
    await browser?.close();
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  });

  async function writePage(name: PageName, policies: PolicySet, presets: readonly ReviewExample[]): Promise<void> {
    const tests = rightOrThrow(reviewTests(policies, policies === shipped ? await shippedSuites() : new Map()));
    const ofSet = await review(policies, { date: new Date("2026-01-31T12:00:00Z"), tests });
    const facts = policies === shipped ? { ...ofSet, ...(await shippedClaims()) } : ofSet;
    await writeFile(join(directory, `${name}.html`), await reviewHtml(policies, facts, { panel, examples: presets }));
  }

  async function writeChange(name: PageName, before: PolicySet, after: PolicySet): Promise<void> {
    const options = { date: new Date("2026-01-31T12:00:00Z") };
    const [older, newer] = [await review(before, options), await review(after, options)];
    const sentences = HOSTILE_MARKS.join(" ");
    const claim = {
      claim: sentences,
      listed: "added",
      position: sentences,
      after: { result: "unproven", why: sentences },
    } as const;
    const sets = [
      { policies: before, review: older },
      { policies: after, review: newer },
    ] as const;
    const change = await reviewChange(...sets, name === "change" ? [] : [claim], [], undefined);
    const page = await changeHtml(after, newer, { review: change, before, evidence: "0".repeat(64) }, { panel });
    await writeFile(join(directory, `${name}.html`), page);
  }

  /** Opens a page. `complaints` collects the browser's messages and all requests beyond the page itself. */
  async function open(name: PageName, scheme: "light" | "dark" = "light") {
    const making = written.get(name) ?? PAGES[name]();
    written.set(name, making);
    await making;
    const page = await browser.newPage({ colorScheme: scheme, viewport: { width: 1280, height: 900 } });
    const complaints: string[] = [];
    const url = pathToFileURL(join(directory, `${name}.html`)).href;
    page.on("console", (message) => complaints.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      if (request.url() !== url) complaints.push(`request: ${request.url()}`);
    });
    await page.goto(url);
    await page.locator("#outcome .big").waitFor();
    return { page, complaints };
  }

  const outcomeOf = async (page: Page) => (await page.locator("#outcome .big span").textContent()) ?? "";

  test("it opens without errors and asks nothing of the network", async () => {
    const { page, complaints } = await open("shipped");
    await page.selectOption("#w-preset", "20");
    await page.locator("#explanation[aria-busy]").waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("code from strings, other scripts and the network are forbidden", { tags: "long" }, async () => {
    const { page } = await open("shipped");
    // The page's content security policy does not apply to Playwright's own evaluation. It applies to an added script
    // and to code that runs later.
    await page.evaluate(
      `{ const s = document.createElement("script"); s.textContent = "document.title = 'ran'"; document.body.append(s); }`,
    );
    expect(await page.title()).toBe("Key management: policy review 2026-01-31");
    await page.evaluate(`{
      addEventListener("message", () => { try { new Function("document.title = 'ran'")(); } catch (e) { document.title = e.name; } });
      postMessage("", "*");
    }`);
    await expect.poll(() => page.title()).toBe("EvalError");
    await page.evaluate(
      `{ const i = document.createElement("img"); i.src = "https://example.invalid/x.png"; document.body.append(i); }`,
    );
    const fetched = await page.evaluate(`fetch("https://example.invalid/").then(() => "ran", (e) => e.name)`);
    expect(fetched).toBe("TypeError");
    await page.close();
  });

  test("each example is decided as decide decides it, and explained", async () => {
    const { page, complaints } = await open("shipped");
    expect(examples.length).toBeGreaterThan(20);
    for (const [i, { request }] of examples.entries()) {
      await page.selectOption("#w-preset", String(i));
      const decision = decideAny(shipped, request);
      expect(await outcomeOf(page)).toBe(decision.outcome);
      const verdict = decision.outcome === "insufficient_permissions" ? decision.permission : decision.platform;
      const shown = (await page.locator("#outcome").textContent()) ?? "";
      if (decision.outcome !== "allow") for (const { reason } of verdict.reasons) expect(shown).toContain(reason);
    }
    await page.selectOption("#w-preset", "0");
    await expect.poll(() => page.locator("#explanation").textContent()).toMatch(/^allow: key key_caller/);
    const said = (await page.locator("#explanation").textContent()) ?? "";
    expect(said).toContain("the resource's accountId is the key's accountId");
    expect(said).not.toMatch(/[PRV]\.(attr|id)/);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("changing a value changes the outcome", async () => {
    const { page } = await open("shipped");
    await page.selectOption("#w-preset", "2"); // An admin deletes an API that has no keys.
    expect(await outcomeOf(page)).toBe("allow");
    await page.getByLabel("deleteProtection").check();
    expect(await outcomeOf(page)).toBe("forbidden");
    await page.getByLabel("deleteProtection").uncheck();
    expect(await outcomeOf(page)).toBe("allow");
    await page.getByLabel("admin", { exact: true }).uncheck();
    await page.getByLabel("editor", { exact: true }).check();
    expect(await outcomeOf(page)).toBe("insufficient_permissions");
    await page.getByRole("textbox", { name: "permissions" }).fill("api.api_1.delete_api");
    expect(await outcomeOf(page)).toBe("allow");
    await page.getByLabel("keyCount").fill("1");
    expect(await outcomeOf(page)).toBe("forbidden");
    await page.getByLabel("keyCount").fill("");
    expect(await outcomeOf(page)).toBe("forbidden");
    await page.getByLabel("keyCount").fill("0");
    await page.getByRole("group", { name: "Resource" }).getByLabel("state").selectOption("suspended");
    expect(await page.locator("#outcome").textContent()).toContain("state_forbids_modification");
    await page.close();
  });

  test("a permission-only set: nothing of an account or a platform, and the key decides", {
    tags: "long",
  }, async () => {
    const { page, complaints } = await open("alone");
    const groups = await page.locator("#panel > .panel fieldset > legend").allTextContents();
    expect(groups).toEqual(["Key", "roles", "Resource"]);
    expect(JSON.parse(await page.locator("#w-json").inputValue())).not.toHaveProperty("account");
    expect(await outcomeOf(page)).toBe("insufficient_permissions");
    await page.getByRole("group", { name: "Resource" }).getByLabel("open").fill("true");
    await expect.poll(() => outcomeOf(page)).toBe("allow");
    expect(await page.locator("#outcome").textContent()).toContain("These policies have no platform layer.");
    expect(await page.locator("#platform").count()).toBe(0);
    expect(await page.locator("th").allTextContents()).not.toContain("Platform");
    await page.locator("#explanation[aria-busy]").waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("another operation, on another kind of resource", { tags: "long" }, async () => {
    const { page } = await open("shipped");
    await page.getByLabel("Operation", { exact: true }).selectOption({ label: "keys.getKey" });
    expect(JSON.parse(await page.locator("#w-json").inputValue())).toMatchObject({
      operation: "keys.getKey",
      resource: { kind: "key", attr: { apiId: "x", accountId: "acc_1", state: "enabled" } },
    });
    expect(await page.locator(":focus").getAttribute("id")).toBe("w-operation");
    expect(await page.getByLabel("apiId").count()).toBe(1);
    expect(await page.getByLabel("deleteProtection").count()).toBe(0);
    await page.close();
  });

  test("the request as JSON: whatever it is, it is decided", { tags: "long" }, async () => {
    const { page, complaints } = await open("shipped");
    await page.getByText("The request as JSON").click();
    const area = page.locator("#w-json");
    const request = JSON.parse(await area.inputValue());
    for (const changed of [
      {
        ...request,
        resource: { ...request.resource, attr: { ...request.resource.attr, accountId: 7, extra: { "<b>": [] } } },
      },
      { ...request, key: { ...request.key, roles: [] } },
      { ...request, now: "2026-01-01T00:00:00Z", account: {} },
      { operation: "x" },
      [],
      null,
    ]) {
      await area.fill(JSON.stringify(changed));
      const asked = changed?.now === undefined ? changed : { ...changed, now: new Date(changed.now) };
      expect(await outcomeOf(page)).toBe(decide(shipped, asked).outcome);
    }
    await area.fill("{");
    expect(await area.getAttribute("aria-invalid")).toBe("true");
    expect(await page.locator("#w-json-fault").textContent()).toContain("not JSON");
    await area.fill(JSON.stringify(request));
    expect(await area.getAttribute("aria-invalid")).toBeNull();
    expect(await outcomeOf(page)).toBe("allow");
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("by keyboard alone: every control is reached in order, focus is seen, the outcome is announced", {
    tags: "long",
  }, async () => {
    const { page } = await open("shipped");
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").textContent()).toBe("Skip to the review");
    await page.keyboard.press("Enter");
    await page.locator('a[href="#what-if"]').focus();
    await page.keyboard.press("Enter");
    const reached: string[] = [];
    for (let i = 0; i < 80; i++) {
      await page.keyboard.press("Tab");
      const focus = page.locator(":focus");
      const id = (await focus.getAttribute("id")) ?? (await focus.textContent()) ?? "";
      reached.push(id);
      expect(await focus.evaluate("(e) => getComputedStyle(e).outlineStyle")).not.toBe("none");
      if (id === "w-role-0") break;
    }
    expect(reached.slice(-4)).toEqual(["w-preset", "w-operation", "w-key-id", "w-role-0"]);
    const before = await outcomeOf(page);
    await page.locator("#w-role-2").focus();
    await page.keyboard.press("Space");
    expect(before).toBe("allow");
    expect(await outcomeOf(page)).toBe("insufficient_permissions");
    const live = page.locator("#outcome");
    expect(await live.getAttribute("role")).toBe("status");
    expect(await live.getAttribute("aria-live")).toBe("polite");
    await page.close();
  });

  test("the page of a change: each change that is shown can be tried, and is decided as it says", {
    tags: "long",
  }, async () => {
    const { page, complaints } = await open("change");
    expect(await page.title()).toBe("Key management: review of a policy change 2026-01-31");
    const shown = page.locator("#w-preset option");
    const { changes } = searchDecisionChanges(shipped, compiled(CHANGED.files));
    expect(await shown.count()).toBe(changes.length);
    for (const [i, { request, from, to }] of changes.entries()) {
      await page.selectOption("#w-preset", String(i));
      expect(JSON.parse(await page.locator("#w-json").inputValue())).toEqual(request);
      expect(await outcomeOf(page)).toBe(to);
      expect(await page.locator("#earlier").textContent()).toBe(`Before the change: ${from}`);
    }
    const text = (await page.locator("#decisions").textContent()) ?? "";
    for (const { request } of changes) expect(text).toContain(JSON.stringify(request));
    expect(await page.locator("#written .sides").count()).toBe(1);
    expect(await page.locator("#signature dl.sign dt").allTextContents()).toEqual(["Name", "Date", "Signature"]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test.each(["shipped", "hostile", "change", "hostile-change"] as const)(
    "%s: labels, headings, tables, links",
    { tags: "long" },
    async (name) => {
      const { page } = await open(name);
      const faults = await page.evaluate(`(() => {
      const faults = [];
      const all = (selector) => [...document.querySelectorAll(selector)];
      for (const e of all("input, select, textarea")) if (e.labels.length === 0 || e.labels[0].textContent.trim() === "") faults.push("no label: " + e.outerHTML);
      const ids = all("[id]").map((e) => e.id);
      if (new Set(ids).size !== ids.length) faults.push("an id twice: " + ids.find((id, i) => ids.indexOf(id) !== i));
      for (const e of all("table")) if (!e.caption || e.caption.textContent.trim() === "") faults.push("no caption");
      for (const e of all("th")) if (!["col", "colgroup", "row", "rowgroup"].includes(e.scope)) faults.push("no scope: " + e.outerHTML);
      for (const e of all('a[href^="#"]')) if (!document.getElementById(e.hash.slice(1))) faults.push("a dead link: " + e.outerHTML);
      for (const e of all("[aria-labelledby], [aria-describedby]")) for (const id of ((e.getAttribute("aria-labelledby") ?? "") + " " + (e.getAttribute("aria-describedby") ?? "")).trim().split(" ")) if (!document.getElementById(id)) faults.push("describes by what is not there: " + id);
      let level = 0;
      for (const e of all("h1, h2, h3, h4, h5")) { const n = Number(e.tagName[1]); if (n > level + 1) faults.push("a level left out: " + e.textContent); level = n; }
      if (all("h1").length !== 1 || all("main").length !== 1 || document.documentElement.lang !== "en" || document.title === "") faults.push("landmarks");
      for (const e of all("fieldset")) if (e.firstElementChild?.tagName !== "LEGEND") faults.push("a fieldset without a legend");
      for (const e of all('[role="region"]')) if (!e.getAttribute("aria-label")) faults.push("a region without a name");
      for (const e of all("*")) { for (const { name } of e.attributes) if (/^on|^style$/.test(name) && e.closest("#explanation") === null) faults.push("attribute " + name); }
      return faults;
    })()`);
      expect(faults).toEqual([]);
      await page.close();
    },
  );

  test("light and dark differ, and both can be read", { tags: "long" }, async () => {
    const backgrounds = new Set<string>();
    for (const [name, scheme] of [
      ["shipped", "light"],
      ["shipped", "dark"],
      ["change", "light"],
      ["change", "dark"],
    ] as const) {
      const { page } = await open(name, scheme);
      const pairs = await page.evaluate<
        [string, string, string][]
      >(`[...document.querySelectorAll("p, th, td, code, a, caption, .yes, .maybe, .no, .soft, .plain, small, label, dt, input, select")].map((e) => {
        let behind = e;
        while (behind && /, 0\\)$|transparent/.test(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
        return [getComputedStyle(e).color, getComputedStyle(behind ?? document.body).backgroundColor, e.className + " " + e.tagName];
      })`);
      for (const [color, background, what] of pairs) {
        expect(contrast(color, background), `${name} ${scheme} ${what}: ${color} on ${background}`).toBeGreaterThan(
          4.5,
        );
      }
      backgrounds.add(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
      await page.close();
    }
    expect(backgrounds.size).toBe(2);
  });

  test("on paper there is no panel, and all of the text", { tags: "long" }, async () => {
    const { page } = await open("shipped", "dark");
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.locator("#what-if").isVisible()).toBe(false);
    expect(await page.locator("nav").isVisible()).toBe(false);
    expect(await page.locator("#operations").isVisible()).toBe(true);
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
    const skipped = `[...document.querySelectorAll("main *")].filter((e) => getComputedStyle(e).contentVisibility !== "visible").length`;
    expect(await page.evaluate(skipped)).toBe(0);
    const pdf = await page.pdf({ format: "A4" });
    expect(pdf.length).toBeGreaterThan(20_000);
    expect(pagesOf(pdf)).toBeLessThanOrEqual(8);
    await page.close();
  });

  test("300 policies: at most 1 MB, a kind opens on demand, and at most 3 pages a kind are printed", {
    tags: "long",
  }, async () => {
    const { page, complaints } = await open("many");
    expect((await stat(join(directory, "many.html"))).size).toBeLessThanOrEqual(1_000_000);
    const kinds = page.locator("details.kind");
    expect(await kinds.count()).toBe(MANY / 2);
    const tables = page.locator("details.kind table");
    expect(await tables.count()).toBe(0);
    await kinds.nth(1).locator("> summary").click();
    await expect.poll(() => tables.count()).toBe(4);
    await kinds.nth(1).locator("> summary").click();
    await page.locator("#matrix a", { hasText: "kind_7.update" }).click();
    await expect.poll(() => page.locator("details.kind[open]").count()).toBe(1);
    expect(await page.locator("details.kind[open] > summary").textContent()).toContain("On kind_7");
    const target = page.locator(":target");
    expect(await target.textContent()).toContain("kind_7.update");
    const pages = pagesOf(await page.pdf({ format: "A4" }));
    expect(pages).toBeLessThanOrEqual((3 * MANY) / 2);
    expect(pages).toBeGreaterThan(MANY / 6);
    expect(await page.locator("details.kind[open]").count()).toBe(1);
    expect(await tables.count()).toBe(4 * (MANY / 2));
    expect(complaints).toEqual([]);
    await page.close();
  });

  test.each(["shipped", "hostile", "change", "alone"] as const)(
    "%s: no violation by axe, light and dark",
    { tags: "long" },
    async (name) => {
      for (const scheme of ["light", "dark"] as const) {
        const { page } = await open(name, scheme);
        await page.locator("#explanation[aria-busy]").waitFor({ state: "detached" });
        await page.locator("details.written").first().evaluate("(e) => { e.open = true; }");
        // The page's content security policy does not apply to Playwright's own evaluation.
        await page.evaluate(AXE);
        const violations = await page.evaluate<[string, string[]][]>(
          `axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map((node) => node.target.join(" "))]))`,
        );
        expect([scheme, violations]).toEqual([scheme, []]);
        await page.close();
      }
    },
  );

  test.each(["shipped", "change"] as const)(
    "%s: a narrow window is not scrolled sideways",
    { tags: "long" },
    async (name) => {
      const { page } = await open(name);
      await page.setViewportSize({ width: 360, height: 700 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
      await page.close();
    },
  );

  test.each(["hostile", "hostile-change"] as const)("%s: names are text", { tags: "long" }, async (name) => {
    const { page, complaints } = await open(name);
    await page.locator("#explanation[aria-busy]").waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    expect(await page.evaluate("window.pwned")).toBeUndefined();
    expect(await page.locator("main img, main :not(pre) > b, main svg, main iframe, form form").count()).toBe(0);
    const text = (await page.locator("body").textContent()) ?? "";
    for (const mark of HOSTILE_MARKS) expect(text).toContain(mark);
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
    await page.close();
  });
});

/** WCAG's contrast ratio of two colours in the browser's notation. */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
    const c = Number(part) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
