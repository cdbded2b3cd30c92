/** Paths of findings, as reports of other programs' kinds have them. */

import { isAbsolute, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";

/** `file` from `directory`, with `/` between its parts; absolute if it is not below. */
export function relativePath(file: string, directory: string): string {
  const path = relative(directory, resolve(directory, file));
  const below = path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
  return (below ? path : resolve(directory, file)).replaceAll(sep, "/");
}

/** The same as a URI reference (RFC 3986): relative, or with the scheme `file`. */
export function uriOf(file: string, directory: string): string {
  const path = relativePath(file, directory);
  if (isAbsolute(path)) return pathToFileURL(path).href;
  // What is left of a lone surrogate is U+FFFD: a URI has no other way to write it.
  const uri = path
    .split("/")
    .map((part) => encodeURIComponent(wellFormed(part)))
    .join("/");
  return uri === "" ? "." : uri;
}

function wellFormed(text: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(text));
}
