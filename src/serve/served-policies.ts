/** The policies of a decision point: kept up to date with their directory, for both APIs. */

import { isLeft } from "fp-ts/lib/Either.js";
import { engineOptionsOfSet } from "../cerbos/set-engine.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { CheckEngine, CheckEngineOptions } from "../engine/evaluate/check-engine.js";
import { compileCheckEngine } from "../engine/evaluate/compile-check-engine.js";
import type { PolicyIssue } from "../policy/issue.js";
import { type LiveOptions, LivePolicies } from "../watch/live-policies.js";

export class ServedPolicies {
  readonly live: LivePolicies;
  private readonly engines: WeakMap<PolicySet, CheckEngine>;

  private constructor(live: LivePolicies, engines: WeakMap<PolicySet, CheckEngine>) {
    this.live = live;
    this.engines = engines;
  }

  /** The issues, if the policies do not load. */
  static async load(
    directory: string,
    options: LiveOptions,
    engineOptions: CheckEngineOptions,
  ): Promise<ServedPolicies | readonly PolicyIssue[]> {
    const engines = new WeakMap<PolicySet, CheckEngine>();
    // A set is taken over only if both APIs can answer from it.
    const requires = (set: PolicySet): readonly PolicyIssue[] => {
      const engine = compileCheckEngine(set.files, { ...engineOptionsOfSet(set.configuration), ...engineOptions });
      if (isLeft(engine)) return engine.left;
      engines.set(set, engine.right);
      return [];
    };
    const loaded = await LivePolicies.load(directory, { ...options, requires })();
    return isLeft(loaded) ? loaded.left : new ServedPolicies(loaded.right, engines);
  }

  get set(): PolicySet {
    return this.live.current.set;
  }

  /** The engine for Cerbos's API. */
  get engine(): CheckEngine {
    const engine = this.engines.get(this.set);
    if (engine === undefined) throw new Error("the policies in force have no engine");
    return engine;
  }
}
