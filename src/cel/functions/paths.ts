/**
 * Functions of file paths (`internal/conditions/crosspath`): POSIX paths, and Windows paths with a drive or a share,
 * which are represented as `/C:/…` and `/host/share/…`.
 *
 * Written after the source, and Go's `path/filepath` on Linux.
 */

import { type Evaluation, fail, spend } from "../evaluation.js";
import { BOOL, list, STRING } from "../types.js";
import type { CelList } from "../values.js";
import { atLevel, binary, type Overload, unary } from "./overload.js";
import { clean, matchGlob, relative } from "./posix-path.js";

type PathKind = "plain" | "drive" | "share";

interface Path {
  readonly kind: PathKind;
  /** Whether it was written with backslashes. */
  readonly isWindows: boolean;
  readonly isRoot: boolean;
  /** The path with slashes, cleaned. */
  readonly value: string;
}

const DRIVE = /^[a-zA-Z]:/;
const MAX_LENGTH = 32_768;

function parse(ev: Evaluation, path: string): Path | undefined {
  if (path.length > MAX_LENGTH) return fail(ev, "the path is too long");
  if (!spend(ev, 2 + (path.length >> 3))) return undefined;
  const isWindows = path.includes("\\");
  const slashed = path.replaceAll("\\", "/");
  if (path.startsWith("\\\\")) {
    const isRoot = path.slice(2).split("\\").length === 2;
    return { kind: "share", isWindows, isRoot, value: clean(slashed) };
  }
  if (DRIVE.test(path)) {
    // As on the server, `D:.`, `D:foo` and `D:/foo` are refused unless a backslash follows somewhere in the path.
    if (!isWindows && path.length > 2) return fail(ev, "unsupported Win32 path");
    return { kind: "drive", isWindows, isRoot: path.length <= 3, value: clean(`/${slashed}`) };
  }
  return { kind: "plain", isWindows, isRoot: path === "/", value: clean(slashed) };
}

/** Converts the path back to its original notation. */
function print(path: Path, value: string): string {
  if (path.kind === "share") return `\\${value.replaceAll("/", "\\")}`;
  if (path.kind === "drive") return value.replaceAll("/", "\\").replace(/^\\/, "");
  return path.isWindows ? value.replaceAll("/", "\\") : value;
}

function base(path: Path): string {
  return path.value === "/" ? "/" : path.value.slice(path.value.lastIndexOf("/") + 1);
}

function directory(path: Path, ev: Evaluation): string | undefined {
  if (path.kind !== "plain" && path.isRoot) return print(path, path.value) + (path.kind === "drive" ? "\\" : "");
  const slash = path.value.lastIndexOf("/");
  if (path.kind === "plain" && !path.isWindows) return clean(path.value.slice(0, slash + 1));
  // For `name\` the server's slice is out of range, which is an error.
  if (slash < 0) return fail(ev, "the path has no directory");
  return print(path, path.value.slice(0, slash));
}

function extension(path: Path): string {
  const name = path.value.slice(path.value.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot);
}

function volume(path: string): string {
  if (path.startsWith("\\\\")) {
    const [host = "", share = ""] = path.slice(2).split("\\");
    return host === "" || share === "" ? "" : `\\\\${host}\\${share}`;
  }
  return DRIVE.test(path) ? path.slice(0, 2) : "";
}

function join(ev: Evaluation, elements: CelList): string | undefined {
  if (!spend(ev, elements.length >> 3)) return undefined;
  const [first, ...rest] = elements;
  if (first === undefined) return "";
  if (typeof first !== "string") return fail(ev, "no such overload");
  if (rest.length === 0) return first;
  const start = parse(ev, first);
  if (start === undefined) return undefined;
  const values = [start.value];
  for (const element of rest) {
    if (typeof element !== "string") return fail(ev, "no such overload");
    const path = parse(ev, element);
    if (path === undefined) return undefined;
    values.push(path.value);
  }
  return print(start, clean(values.filter((value) => value !== "").join("/")));
}

function relPath(ev: Evaluation, from: string, to: string): string | undefined {
  const origin = parse(ev, from);
  const target = origin && parse(ev, to);
  if (origin === undefined || target === undefined) return undefined;
  const way = relative(origin.value, target.value);
  if (way === undefined) return fail(ev, notRelative(to, origin, target));
  if (way === "." || way === "..") return way;
  return target.kind === "share" ? way.replaceAll("/", "\\") : print(target, way);
}

/** The server's words for two paths without a relative path. */
function notRelative(path: string, origin: Path, target: Path): string {
  const [written, from, to] = [path, origin.value, target.value].map((text) => text.slice(0, 80));
  return `failed to determine relative path of ${written}: Rel: can't make ${to} relative to ${from}`;
}

/** True if a path is below another one, or written as the other one. A path below by a name with a dot in front is not. */
function hasPrefix(ev: Evaluation, path: string, prefix: string): boolean | undefined {
  // The server compares the texts first, so `D:foo` does not err here.
  if (path === prefix) return true;
  const way = wayBetween(ev, prefix, path);
  return way === undefined ? undefined : !way.startsWith(".");
}

/** The same at level 0.58: whether a path is another one, or below it, once the dot segments of both are resolved. */
function isWithin(ev: Evaluation, path: string, prefix: string): boolean | undefined {
  const way = wayBetween(ev, prefix, path);
  return way === undefined ? undefined : way !== ".." && !way.startsWith("../");
}

/** The relative path from `prefix` to `path`. */
function wayBetween(ev: Evaluation, prefix: string, path: string): string | undefined {
  const target = parse(ev, path);
  const origin = target && parse(ev, prefix);
  if (target === undefined || origin === undefined) return undefined;
  return relative(origin.value, target.value) ?? fail(ev, notRelative(path, origin, target));
}

function match(ev: Evaluation, path: string, pattern: string): boolean | undefined {
  const target = parse(ev, path);
  const glob = target && parse(ev, pattern);
  if (target === undefined || glob === undefined) return undefined;
  if (!spend(ev, 1 + Math.floor((glob.value.length * target.value.length) / 4))) return undefined;
  return matchGlob(glob.value, target.value) ?? fail(ev, "syntax error in pattern");
}

function matchAnyOf(ev: Evaluation, path: string, patterns: CelList): boolean | undefined {
  for (const pattern of patterns) {
    if (typeof pattern !== "string") return fail(ev, "no such overload");
    const is = match(ev, path, pattern);
    if (is !== false) return is;
  }
  return false;
}

function onPath(name: string, f: (path: Path, ev: Evaluation) => string | undefined): Overload {
  return unary("global", name, STRING, STRING, (ev, text) => {
    const path = parse(ev, text);
    return path === undefined ? undefined : f(path, ev);
  });
}

export const pathFunctions: readonly Overload[] = [
  onPath("basePath", base),
  onPath("dirPath", directory),
  onPath("extPath", extension),
  unary("global", "joinPath", list(STRING), STRING, join),
  binary("global", "relPath", STRING, STRING, STRING, relPath),
  unary("global", "volumeName", STRING, STRING, (_ev, text) => volume(text)),
  ...(["global", "member"] as const).flatMap((style) => [
    atLevel("0.55", binary(style, "pathHasPrefix", STRING, STRING, BOOL, hasPrefix)),
    atLevel("0.58", binary(style, "pathHasPrefix", STRING, STRING, BOOL, isWithin)),
    binary(style, "pathMatch", STRING, STRING, BOOL, match),
    binary(style, "pathMatchAnyOf", STRING, list(STRING), BOOL, matchAnyOf),
  ]),
];
