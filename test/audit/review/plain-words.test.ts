/** The page is plain: short sentences, and every word that has a meaning of its own is in its glossary. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { lawsByText } from "../../../src/audit/review/change/claims.js";
import { reviewHtml } from "../../../src/audit/review/html/page.js";
import { review } from "../../../src/audit/review/review.js";
import { reviewTests } from "../../../src/audit/review/tested.js";
import type { Review } from "../../../src/audit/review/types.js";
import { rightOrThrow } from "../../../src/policy/policies-error.js";
import { readClaims } from "../../../src/proof/claims/read.js";
import { policy, when } from "../../support/compose.js";
import { compiled, SHIPPED_ROOT, shipped } from "../../support/policies.js";
import { sentencesOf, wordCount } from "./sentences.js";

const DATE = new Date(0);

/** The longest sentence, in words. */
const MOST_WORDS = 25;

const { claims } = readClaims("claims.yaml", readFileSync(`${SHIPPED_ROOT}/testdata/service.claims.yaml`, "utf8"));
const tests = rightOrThrow(reviewTests(shipped, new Map()));
const { laws, unchecked } = await lawsByText(shipped);
const stated = claims.map(({ claim }) => ({ claim, position: "a.claims.yaml:1:1" }));
const ofShipped: Review = {
  ...(await review(shipped, { date: DATE, tests })),
  laws,
  unchecked: [...unchecked, ...stated],
};

/** A set with findings, controls, scopes, derived roles, and policies of principals and roles. */
const odd = compiled([
  {
    path: "doc.yaml",
    text: policy({
      rules: [
        `name: share, actions: [share], roles: ["*"], effect: EFFECT_ALLOW, ${when('"doc.share" in P.attr.permissions')}`,
        `name: never, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when("R.attr.a == 1 && R.attr.a == 2")}`,
      ],
    }),
  },
  { path: "keyward.yaml", text: 'platform: none\ntitle: Odd\ncontrols: { "9.9": [SOC 2] }\n' },
  {
    path: "role.yaml",
    text: "apiVersion: api.cerbos.dev/v1\nrolePolicy: { role: guest, parentRoles: [user], rules: [{ resource: doc, allowActions: [read] }] }\n",
  },
]);

const PAGES = {
  shipped: await reviewHtml(shipped, ofShipped, { panel: "" }),
  odd: await reviewHtml(odd, await review(odd, { date: DATE })),
};

test.each(Object.entries(PAGES))("%s: no sentence has more than 25 words", (_, page) => {
  const sentences = sentencesOf(page);
  expect(sentences.length).toBeGreaterThan(50);
  expect(sentences.filter((sentence) => wordCount(sentence) > MOST_WORDS)).toEqual([]);
});

test("the measure finds a long sentence, and does not count code twice", () => {
  const long = Array.from({ length: 26 }, (_, i) => `word${i}`).join(" ");
  expect(sentencesOf(`<body><p>Short. <em>${long}</em>.</p>`).map(wordCount)).toEqual([1, 26]);
  expect(sentencesOf("<body><li>if <code>a b. c</code> + d<li>e</body>").map(wordCount)).toEqual([3, 1]);
});

test("the verdict is the first sentence below the title", () => {
  const [, after = ""] = PAGES.shipped.split("</h1>");
  expect(sentencesOf(`<body>${after}`)[0]).toBe("No problem was found");
});

test.each(Object.entries(PAGES))("%s: each mark and each linked term is in the glossary", (_, page) => {
  const [glossary = ""] = /<dl class="glossary">.*?<\/dl>/s.exec(page) ?? [];
  const marks = [...page.matchAll(/<span class="(?:yes|maybe|no)">([a-z ]+)<\/span>/g)].map(([, word = ""]) => word);
  expect(new Set(marks).size).toBeGreaterThan(2);
  const words = new Set(marks.map((mark) => mark.replace(/^(?:no|not all) /, "")));
  expect([...words].filter((word) => !new RegExp(`\\b${word}\\b`).test(glossary))).toEqual([]);
  for (const [, id] of page.matchAll(/<a class="term" href="#([^"]*)"/g)) expect(glossary).toContain(`<dt id="${id}">`);
});
