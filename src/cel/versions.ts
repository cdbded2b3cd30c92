/**
 * Versions of the expression language, named by the Cerbos versions that have them. What came with which is decided
 * here alone; parsing, checking and the registry of functions ask this module.
 */

/** Cerbos versions whose expression language is known, in order. The newest is not released: it is their main branch. */
export const CEL_VERSIONS = ["0.51", "0.52", "0.53", "0.54", "0.55"] as const;

/** A Cerbos version, as far as its expression language goes. */
export type CelVersion = (typeof CEL_VERSIONS)[number];

/** What the server has that this engine is checked against. */
export const DEFAULT_CEL_VERSION: CelVersion = "0.51";

const BROUGHT_BY = {
  /** `basePath` and its like (`internal/conditions/crosspath`). */
  paths: "0.52",
  /** Optional values: `a.?b`, `a[?k]`, `[?e]`, `{?k: v}`, `optional.of(…)`, `optMap`, … (cel-go `OptionalTypes`). */
  optionals: "0.55",
  /** cel-go's `ext.Sets`, `ext.Regex` and `ext.Network`, and `json.encode` of its `ext.Encoders`. */
  libraries: "0.55",
  /** `hasIntersection`, `intersect`, `except` and `isSubset` compare by `==`, whatever the length of the lists. */
  listEquality: "0.55",
  /** Constant timestamps, durations, patterns and addresses are looked at when policies are loaded. */
  literals: "0.55",
} as const satisfies { readonly [addition: string]: CelVersion };

/** Something that came after 0.51. */
export type Addition = keyof typeof BROUGHT_BY;

export function sinceOf(addition: Addition): CelVersion {
  return BROUGHT_BY[addition];
}

/** Whether a version has an addition. */
export function has(version: CelVersion, addition: Addition): boolean {
  return isAtLeast(version, BROUGHT_BY[addition]);
}

export function isAtLeast(version: CelVersion, since: CelVersion): boolean {
  return CEL_VERSIONS.indexOf(version) >= CEL_VERSIONS.indexOf(since);
}

/** Whether a text that a caller gave names a version. */
export function isCelVersion(text: string): text is CelVersion {
  return CEL_VERSIONS.some((version) => version === text);
}

/** The refusal of what a later version has. */
export function cameWith(what: string, since: CelVersion, version: CelVersion): string {
  return `${what} came with Cerbos ${since}; these policies are read as of ${version} (celVersion)`;
}
