// The front page. VitePress's layout takes the hero and the audiences from here, and the text below from home.md. Links
// end in .html, because the layout passes them on unchanged.
import { readFileSync } from "node:fs";

const HEAD = {
  layout: "home",
  hero: {
    name: "keyward",
    text: "What may this API key do, and why not?",
    tagline:
      "Cerbos policies evaluated in process. Allowed, refused for lack of permission, or forbidden for every key.",
    actions: [
      { theme: "brand", text: "Start", link: "/README.html" },
      { theme: "alt", text: "Playground", link: "/playground/index.html", target: "_self" },
    ],
  },
  features: [
    {
      title: "Service handlers",
      details: "One call a request, without I/O; the error body, middleware, filters for list pages.",
      link: "/docs/embedding.html",
      linkText: "Embedding",
    },
    {
      title: "Offline tests",
      details: "Suites that expect an outcome and its reasons, laws that hold for every request, coverage of rules.",
      link: "/docs/testing.html",
      linkText: "Testing policies",
    },
    {
      title: "Auditors",
      details: "Why a request is refused, what a change of policies widens, a report in plain words.",
      link: "/docs/auditing.html",
      linkText: "Auditing",
    },
  ],
};

export function homePage() {
  const text = readFileSync(new URL("home.md", import.meta.url), "utf8");
  return `---\n${JSON.stringify(HEAD)}\n---\n\n${text}`;
}
