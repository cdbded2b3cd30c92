// The guides, grouped by audience.

export const GUIDES = [
  {
    text: "Start",
    pages: ["README.md", "docs/tutorial.md", "docs/from-ifs.md", "docs/from-casl.md", "docs/from-cerbos.md"],
  },
  {
    text: "Service handlers",
    pages: [
      "docs/embedding.md",
      "docs/configuration.md",
      "docs/lists.md",
      "docs/delegation.md",
      "docs/ask-or-stop.md",
      "docs/authzen.md",
      "docs/serve.md",
      "docs/contract.md",
      "docs/verdicts.md",
      "service/README.md",
      "docs/scaling.md",
    ],
  },
  { text: "Offline tests", pages: ["docs/testing.md", "docs/mutants.md", "docs/laws.md", "docs/ci.md"] },
  { text: "Auditors", pages: ["docs/auditing.md", "docs/proving.md", "docs/review.md", "docs/replay.md"] },
  { text: "Policy authors", pages: ["docs/policies.md", "policies/index.md"] },
  { text: "Beside Cerbos", pages: ["docs/cerbos-semantics.md", "docs/differences-from-cerbos.md"] },
  { text: "Every name", pages: ["docs/public-api.md"] },
  {
    text: "The project",
    pages: ["docs/benchmarks.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE.md"],
  },
];
