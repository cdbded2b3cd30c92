/** Metrics in Prometheus's form. Loads `prom-client`. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { endpointOf, type ServiceObserver } from "./observer.js";
import type { HttpReply } from "./reply.js";

export class ServiceMetrics implements ServiceObserver {
  readonly registry = new Registry();
  private readonly requests: Counter<"path" | "status">;
  private readonly durations: Histogram<"path">;
  private readonly decisions: Counter<"api" | "outcome">;
  private readonly reloads: Counter<"result">;
  private readonly policies: Gauge<"hash">;
  /** The metrics of all workers; undefined if there is one process. */
  private readonly ofAllWorkers: (() => Promise<string>) | undefined;

  constructor(ofAllWorkers?: () => Promise<string>) {
    this.ofAllWorkers = ofAllWorkers;
    if (ofAllWorkers !== undefined) {
      // Makes this worker answer the first process's requests for its metrics.
      AggregatorRegistry.setRegistries(this.registry);
      new AggregatorRegistry();
    }
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.requests = new Counter({
      name: "keyward_requests_total",
      help: "Requests by endpoint and status.",
      labelNames: ["path", "status"],
      registers,
    });
    this.durations = new Histogram({
      name: "keyward_request_duration_seconds",
      help: "The time from the head of a request to its response.",
      labelNames: ["path"],
      buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1],
      registers,
    });
    this.decisions = new Counter({
      name: "keyward_decisions_total",
      help: "Decisions by API and outcome; for Cerbos's API, effects of actions.",
      labelNames: ["api", "outcome"],
      registers,
    });
    this.reloads = new Counter({
      name: "keyward_policy_reloads_total",
      help: "Changes of the policies that were taken over, held or refused.",
      labelNames: ["result"],
      registers,
    });
    this.policies = new Gauge({
      name: "keyward_policies_info",
      help: "1 for the hash of the policies in force.",
      labelNames: ["hash"],
      aggregator: "max",
      registers,
    });
  }

  started(incoming: IncomingMessage, outgoing: ServerResponse): () => void {
    const name = endpointOf(incoming) ?? "other";
    const started = performance.now();
    return () => {
      this.requests.inc({ path: name, status: outgoing.statusCode });
      this.durations.observe({ path: name }, (performance.now() - started) / 1_000);
    };
  }

  decided(api: "authzen" | "cerbos", outcome: string): void {
    this.decisions.inc({ api, outcome });
  }

  reloaded(result: string): void {
    this.reloads.inc({ result });
  }

  inForce(hash: string): void {
    this.policies.reset();
    this.policies.set({ hash }, 1);
  }

  async exposition(): Promise<Pick<HttpReply, "type" | "body">> {
    const body = await (this.ofAllWorkers?.() ?? this.registry.metrics());
    return { type: this.registry.contentType, body };
  }
}
