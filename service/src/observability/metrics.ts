/** Metrics, for Prometheus at `/metrics`, and for OpenTelemetry where an SDK is loaded. */

import { type Meter, metrics } from "@opentelemetry/api";
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
  // Without an SDK, its instruments do nothing.
  const both = new BothMetrics(registry, metrics.getMeter("keyward-service"));
  const requests = both.counter("keyward_requests_total", "Requests by operation and outcome.", BY_OUTCOME);
  const requestTime = both.histogram("keyward_request_duration_seconds", {
    help: "Time from a request's arrival to its response.",
    labelNames: ["operation"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  });
  const decisionTime = both.histogram("keyward_decision_duration_seconds", {
    help: "Time that a decision takes, of one in process or of one that a PDP is asked for.",
    labelNames: BY_OUTCOME,
    buckets: [1e-6, 2.5e-6, 5e-6, 1e-5, 2.5e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 0.01, 0.05, 0.1, 0.5, 1],
  });
  const differences = both.counter(
    "keyward_candidate_differences_total",
    "Decisions that the candidate policies make otherwise, by both outcomes.",
    ["operation", "outcome", "candidate"],
  );
  const reloads = both.counter("keyward_policies_reloads_total", "Reloads of policies: taken, held or refused.", [
    "result",
  ]);
  return {
    request: ({ operation, outcome }, durationMs) => {
      requests({ operation, outcome });
      requestTime({ operation }, durationMs / 1000);
    },
    decision: ({ operation, outcome }, durationMs) => decisionTime({ operation, outcome }, durationMs / 1000),
    difference: ({ operation, outcome, candidate }) => differences({ operation, outcome, candidate }),
    gauge: (description, read) => both.gauge(description, read),
    reload: (result) => reloads({ result }),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

const BY_OUTCOME = ["operation", "outcome"] as const;

type Labels = { readonly [name: string]: string };

/** Instruments that measure for Prometheus and for OpenTelemetry alike. */
class BothMetrics {
  private readonly registers: Registry[];
  private readonly meter: Meter;

  constructor(registry: Registry, meter: Meter) {
    this.registers = [registry];
    this.meter = meter;
  }

  counter(name: string, help: string, labelNames: readonly string[]): (labels: Labels) => void {
    const { registers } = this;
    const counter = new Counter({ name, help, labelNames: [...labelNames], registers });
    const other = this.meter.createCounter(otelNameOf(name), { description: help });
    return (labels) => {
      counter.inc({ ...labels });
      other.add(1, labels);
    };
  }

  /** Of times, in seconds. */
  histogram(
    name: string,
    { help, labelNames, buckets }: { help: string; labelNames: readonly string[]; buckets: readonly number[] },
  ): (labels: Labels, seconds: number) => void {
    const { registers } = this;
    const histogram = new Histogram({ name, help, labelNames: [...labelNames], buckets: [...buckets], registers });
    const other = this.meter.createHistogram(otelNameOf(name), {
      description: help,
      unit: "s",
      advice: { explicitBucketBoundaries: [...buckets] },
    });
    return (labels, seconds) => {
      histogram.observe({ ...labels }, seconds);
      other.record(seconds, labels);
    };
  }

  gauge({ name, help, label }: GaugeDescription, read: () => { readonly [label: string]: number }): void {
    const labelsOf = (value: string): { [name: string]: string } => (label === undefined ? {} : { [label]: value });
    new Gauge({
      ...{ name, help, registers: this.registers },
      labelNames: label === undefined ? [] : [label],
      collect() {
        for (const [value, number] of Object.entries(read())) this.set(labelsOf(value), number);
      },
    });
    this.meter.createObservableGauge(otelNameOf(name), { description: help }).addCallback((result) => {
      for (const [value, number] of Object.entries(read())) result.observe(number, labelsOf(value));
    });
  }
}

/** `keyward_requests_total` is `keyward.requests` there, and exporters for Prometheus turn it back. */
function otelNameOf(name: string): string {
  return name.replace(/_(?:total|seconds)$/, "").replaceAll("_", ".");
}
