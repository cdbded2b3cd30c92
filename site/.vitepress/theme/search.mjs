// Ranks search results: guides come before API symbols, unless the query is written like a symbol (`requestId`).
import MiniSearch from "minisearch";
import { GUIDES } from "../../guides.mjs";

/** Score factors of pages by group of the sidebar; the default is 1. */
const FACTORS = { "Beside Cerbos": 0.4, "Every name": 0.1, "The project": 0.1 };

/** The score factor of pages in no group, such as those of the API reference. */
const OTHERS = 0.1;

const factors = new Map(
  GUIDES.flatMap(({ text, pages }) => pages.map((page) => [addressOf(page), FACTORS[text] ?? 1])),
);

/** Question words and fillers that occur on every page. */
const STOP_WORDS = new Set(
  "a an are can do does for how i in is it my of on the to what when where which why".split(" "),
);

/** The part of MiniSearch that VitePress's search box uses. */
// biome-ignore lint/style/noDefaultExport: it stands in for the default export of minisearch.
export default {
  loadJSON(json, options) {
    const index = MiniSearch.loadJSON(json, options);
    const ranked = { fuzzy, boostDocument };
    return { search: (query) => index.search(wordsOf(query), /[a-z][A-Z]/.test(query) ? { fuzzy } : ranked) };
  },
};

function wordsOf(query) {
  const words = query.split(/\s+/).filter((word) => !STOP_WORDS.has(word.toLowerCase()));
  return words.length > 0 ? words.join(" ") : query;
}

/** The share of letters that may differ. Short words need an exact match: otherwise "add" would find "and". */
function fuzzy(word) {
  return word.length > 4 ? 0.2 : false;
}

function addressOf(page) {
  return import.meta.env.BASE_URL + page.replace(/(index)?\.md$/, "");
}

/** The score factor of a page, by the address of one of its headings. */
function boostDocument(address) {
  return factors.get(address.replace(/(\.html)?#.*/, "")) ?? OTHERS;
}
