/** Prometheus metrics. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export interface Metrics {
  /** `outcome`: allow, insufficient_permissions, forbidden, or the code of the error in the response. */
  request(labels: { readonly operation: string; readonly outcome: string }, durationMs: number): void;
  decision(labels: { readonly operation: string; readonly outcome: string }, durationMs: number): void;
  /** A decision that the candidate policies make otherwise. */
  difference(labels: { readonly operation: string; readonly outcome: string; readonly candidate: string }): void;
  /** A metric with one value for each value of its label, read for each scrape. Without a label, its value is at `""`. */
  gauge(description: GaugeDescription, read: () => { readonly [label: string]: number }): void;
  /** A reload of policies: `taken`, `held` or `refused`. */
  reload(result: string): void;
  readonly contentType: string;
  text(): Promise<string>;
}

export interface GaugeDescription {
  readonly name: string;
  readonly help: string;
  /** The name of the label. */
  readonly label?: string;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const labelNames = ["operation", "outcome"] as const;
  const requests = new Counter({
    name: "keyward_requests_total",
    help: "Requests by operation and outcome.",
    labelNames,
    registers,
  });
  const requestTime = new Histogram({
    name: "keyward_request_duration_seconds",
    help: "Time from a request's arrival to its response.",
    labelNames: ["operation"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const decisionTime = new Histogram({
    name: "keyward_decision_duration_seconds",
    help: "Time that a decision takes, of one in process or of one that a PDP is asked for.",
    labelNames,
    buckets: [1e-6, 2.5e-6, 5e-6, 1e-5, 2.5e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 0.01, 0.05, 0.1, 0.5, 1],
    registers,
  });
  const differences = new Counter({
    name: "keyward_candidate_differences_total",
    help: "Decisions that the candidate policies make otherwise, by both outcomes.",
    labelNames: ["operation", "outcome", "candidate"],
    registers,
  });
  const reloads = new Counter({
    name: "keyward_policies_reloads_total",
    help: "Reloads of policies: taken, held or refused.",
    labelNames: ["result"],
    registers,
  });
  return {
    request: ({ operation, outcome }, durationMs) => {
      requests.inc({ operation, outcome });
      requestTime.observe({ operation }, durationMs / 1000);
    },
    decision: ({ operation, outcome }, durationMs) => {
      decisionTime.observe({ operation, outcome }, durationMs / 1000);
    },
    difference: (labels) => {
      differences.inc({ ...labels });
    },
    gauge: ({ name, help, label }, read) => {
      new Gauge({
        ...{ name, help, registers },
        labelNames: label === undefined ? [] : [label],
        collect() {
          for (const [value, number] of Object.entries(read()))
            this.set(label === undefined ? {} : { [label]: value }, number);
        },
      });
    },
    reload: (result) => {
      reloads.inc({ result });
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
