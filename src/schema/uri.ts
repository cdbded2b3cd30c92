/** URIs as Go's `net/url` parses them: stricter than a regular expression, more lenient than RFC 3986. */

import { isIpv6 } from "./addresses.js";

interface Url {
  readonly scheme: string;
  readonly path: string;
}

export function isUri(text: string): boolean {
  return (parse(text)?.scheme ?? "") !== "";
}

export function isUriReference(text: string): boolean {
  return parse(text) !== undefined && !text.includes("\\");
}

/** Whether braces are in pairs within each segment of the path. */
export function isUriTemplate(text: string): boolean {
  const url = parse(text);
  return url?.path.split("/").every((part) => /^[^{}]*(?:\{[^{}]*\}[^{}]*)*$/.test(part)) ?? false;
}

function parse(text: string): Url | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Go refuses these characters.
  if (/[\0-\x1f\x7f]/.test(text)) return undefined;
  const [whole = "", ...fragment] = text.split("#");
  if (!isEscaped(fragment.join("#"))) return undefined;
  const [, scheme = ""] = /^([a-z][a-z0-9+.-]*):/i.exec(whole) ?? [];
  const [rest = ""] = whole.slice(scheme === "" ? 0 : scheme.length + 1).split("?");
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { scheme, path: "" };
    if (rest.split("/")[0]?.includes(":") === true) return undefined;
  }
  if (!rest.startsWith("//")) return isEscaped(rest) ? { scheme, path: rest } : undefined;
  const [, authority = "", path = ""] = /^\/\/([^/]*)(.*)$/s.exec(rest) ?? [];
  return isAuthority(authority) && isEscaped(path) ? { scheme, path } : undefined;
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf("@");
  const user = authority.slice(0, Math.max(at, 0));
  return /^[\w\-.:~!$&'()*+,;=%@]*$/.test(user) && isEscaped(user) && isHost(authority.slice(at + 1));
}

function isHost(host: string): boolean {
  if (host.startsWith("[")) {
    const [, address, port = ""] = /^\[(.*)\](.*)$/s.exec(host) ?? [];
    return address !== undefined && isPort(port) && (!address.includes(":") || isIpv6(address));
  }
  const colon = host.lastIndexOf(":");
  if (colon >= 0 && (!isPort(host.slice(colon)) || host.indexOf(":") < colon)) return false;
  // Only characters beyond ASCII may be escaped.
  return (
    isEscaped(host) &&
    /^(?:[\w\-.~!$&'()*+,;=:[\]<>"]|[^\0-\x7f]|%[89a-f])*$/i.test(host.replace(/%([89a-f])./gi, "%$1"))
  );
}

function isPort(port: string): boolean {
  return /^(?::\d*)?$/.test(port);
}

function isEscaped(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text);
}
