/** The settings of policy sets that a result about them depends on: assumed ones, and overridden ones. */

import type { PolicySet } from "./compiled-set.js";
import type { SetConfiguration } from "./configuration.js";

/** For the results of commands that compare or prove. */
export interface ConfigurationNotes {
  /**
   * Settings that neither `keyward.yaml` nor an option gives, as `name: value`. The result holds under these values. A
   * setting is listed only if it can change a decision of the set.
   */
  readonly assumed: readonly string[];
  /** Fields of `keyward.yaml` for which an option gave another value. */
  readonly overridden: readonly string[];
}

export function configurationNotes(sets: readonly PolicySet[]): ConfigurationNotes {
  const assumed = sets.flatMap((set) =>
    set.configuration.assumed.filter((name) => matters(name, set)).map((name) => `${name}: ${set.configuration[name]}`),
  );
  const overridden = sets.flatMap(({ configuration }) => configuration.overridden);
  return { assumed: [...new Set(assumed)], overridden: [...new Set(overridden)] };
}

/** Can a setting change a decision of a set? Unknown globals are not assumed: proofs hold for every value. */
function matters(name: SetConfiguration["assumed"][number], { model }: PolicySet): boolean {
  if (name === "globals") return false;
  if (name === "lenientScopeSearch") return [...model.scopePermissions.keys()].some((scope) => scope !== "");
  return model.schemas.size > 0;
}

/** `This is proved.`, with the settings that the proof assumes in the same line. */
export function provedWords({ assumed }: ConfigurationNotes): string {
  return assumed.length === 0 ? "This is proved." : `This is proved. It assumes ${assumed.join(", ")}.`;
}

/** The settings that a result assumes, in brackets. Empty: none. */
export function assumedWords({ assumed }: ConfigurationNotes): string {
  return assumed.length === 0 ? "" : ` (assuming ${assumed.join(", ")})`;
}

/** A sentence about overridden fields. Undefined: options override no field. */
export function overriddenWords({ overridden }: Pick<ConfigurationNotes, "overridden">): string | undefined {
  if (overridden.length === 0) return undefined;
  return `options override keyward.yaml: ${overridden.join(", ")}`;
}
