/** Paths of findings, as the report formats of other programs need them. */

import { isAbsolute, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";

/** `file` relative to `directory`, with `/` as separator; absolute if it is not below `directory`. */
export function relativePath(file: string, directory: string): string {
  const path = relative(directory, resolve(directory, file));
  const below = path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
  return (below ? path : resolve(directory, file)).replaceAll(sep, "/");
}

/** The path as a URI reference (RFC 3986): relative, or with the scheme `file`. */
export function uriOf(file: string, directory: string): string {
  const path = relativePath(file, directory);
  if (isAbsolute(path)) return pathToFileURL(path).href;
  // A lone surrogate becomes U+FFFD, since a URI cannot encode it.
  const uri = path
    .split("/")
    .map((part) => encodeURIComponent(wellFormed(part)))
    .join("/");
  return uri === "" ? "." : uri;
}

function wellFormed(text: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(text));
}
