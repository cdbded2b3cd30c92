/** Separate from the command, which loads the messages of Cerbos's API: help is shown without loading them. */

import { TOKEN_OPTIONS } from "./key-sets-usage.js";
import { DIR_OPTIONS } from "./policy-options.js";
import type { Usage } from "./usage.js";

export const SERVE: Usage = {
  name: "serve",
  takes: ["DIR"],
  does: "Answers AuthZEN and Cerbos's HTTP API by the policies in DIR, and reloads them when they change (docs/serve.md).",
  options: {
    listen: { value: "HOST:PORT", does: "the address (default 127.0.0.1:3592); without TLS only loopback addresses" },
    config: { value: "FILE", does: "the mapping of AuthZEN requests, keyward.authzen.json" },
    data: { value: "FILE", does: "the subjects, resources and accounts that AuthZEN requests are about" },
    tokens: {
      value: "FILE",
      does: "the bearer tokens of callers, a line NAME sha256:DIGEST for each (default: all may ask)",
    },
    "tls-cert": { value: "FILE", does: "the certificate, in PEM form" },
    "tls-key": { value: "FILE", does: "its key, in PEM form" },
    "behind-proxy": { does: "http at any address: a proxy ends TLS and sets X-Forwarded-Proto and X-Forwarded-Host" },
    "base-url": {
      value: "URL",
      does: "the address of the AuthZEN endpoints, for callers (default: that of the request)",
    },
    workers: { value: "N", does: "how many processes answer (default 1)" },
    metrics: { does: "metrics in Prometheus's form at /metrics (needs prom-client)" },
    decisions: { value: "FILE", does: "append a record of each decision, as JSON lines" },
    ...TOKEN_OPTIONS,
    ...DIR_OPTIONS,
  },
};
