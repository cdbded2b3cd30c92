/** Metrics that are read when they are asked for: connections, lanes, the breaker and the policies. */

import type { Serving } from "../http/serving.js";

/** Adds them to the metrics of a service. */
export function registerGauges({
  metrics,
  store,
  turns,
  decider,
  policies,
  caches,
}: Pick<Serving, "metrics" | "store" | "turns" | "decider" | "policies" | "caches">): void {
  if (store.connections !== undefined) {
    const read = store.connections.bind(store);
    metrics.gauge(
      { name: "keyward_store_connections", help: "Connections to the store, by state.", label: "state" },
      () => {
        const { total, idle } = read();
        return { idle, busy: total - idle };
      },
    );
    metrics.gauge({ name: "keyward_store_waiting", help: "Statements that wait for a connection." }, () => ({
      "": read().waiting,
    }));
  }
  metrics.gauge(
    { name: "keyward_account_requests", help: "Requests in the lanes of accounts, by state.", label: "state" },
    () => turns.load(),
  );
  if (decider.isBroken !== undefined) {
    const isBroken = decider.isBroken.bind(decider);
    metrics.gauge(
      { name: "keyward_pdp_breaker_open", help: "1 while the PDP is not asked, after repeated failures." },
      () => ({
        "": Number(isBroken()),
      }),
    );
  }
  if (caches.isOn) {
    metrics.gauge(
      { name: "keyward_key_cache", help: "Kept snapshots of keys; 1 while changes are told of.", label: "state" },
      () => caches.load(),
    );
  }
  metrics.gauge(
    { name: "keyward_policies_refused", help: "1 while the last reload was refused and the old set is in force." },
    () => ({ "": Number(policies.refused) }),
  );
}
