/** Tells which files of a directory are policies and which are schemas (Cerbos's `internal/util/filesystem.go`). */

export type FileRole =
  | "policy"
  | "schema"
  | "configuration"
  | "ignored" // hidden files, tests and their fixtures, claims, files of other types
  | "misplaced_schema"; // in a `_schemas` directory that is not at the root

/**
 * The configuration of a policy set, at its root. A Cerbos server refuses a directory with the first file, because it is
 * not a policy, and ignores the second, because it is hidden. If both exist, the first counts.
 */
export const CONFIGURATION_FILES: readonly string[] = ["keyward.yaml", ".keyward.yaml"];

/** The role of a directory below the root. An ignored directory is not entered. */
export function directoryRole(path: readonly string[]): FileRole {
  const name = path.at(-1) ?? "";
  if (name.startsWith(".")) return "ignored";
  if (path[0] === "_schemas") return "schema";
  if (name === "testdata") return "ignored";
  return name === "_schemas" ? "misplaced_schema" : "policy";
}

/** The role of a file in a directory that is not ignored. `path` begins at the root. */
export function fileRole(path: readonly string[]): FileRole {
  const name = path.at(-1) ?? "";
  if (path.length === 1 && CONFIGURATION_FILES.includes(name)) return "configuration";
  const [, stem, extension] = /^([^.].*)\.(yaml|yml|json)$/is.exec(name) ?? [];
  if (stem === undefined || extension === undefined) return "ignored";
  if (path.length > 1 && path[0] === "_schemas") return extension.toLowerCase() === "json" ? "schema" : "ignored";
  return /(_test|\.decisions|\.claims)$/i.test(stem) ? "ignored" : "policy";
}

/** Claims: `*.claims.yaml`, `.yml` or `.json`, in any directory that is not hidden. */
export function isClaimsFile(path: string): boolean {
  return /\.claims\.(ya?ml|json)$/i.test(path) && !path.split("/").some((part) => part.startsWith("."));
}
