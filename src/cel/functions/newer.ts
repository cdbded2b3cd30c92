/**
 * Functions of Cerbos versions after 0.51 that are known here by name only: those that its later cel-go brings
 * (0.30, from Cerbos 0.55 on: optional values, sets, regular expressions, networks, JSON).
 */

export const CEL_SINCE = "0.55";

export const LATER_CEL_FUNCTIONS: readonly string[] = [
  "sets.contains",
  "sets.equivalent",
  "sets.intersects",
  "optional.of",
  "optional.ofNonZeroValue",
  "optional.none",
  "optional.unwrap",
  "hasValue",
  "orValue",
  "optMap",
  "optFlatMap",
  "unwrapOpt",
  "regex.replace",
  "regex.extract",
  "regex.extractAll",
  "json.encode",
  "first",
  "last",
  "ip",
  "isIP",
  "cidr",
  "isCIDR",
  "containsIP",
  "containsCIDR",
];
