/** The formats that the server's JSON Schema library knows, parsed by its rules. Any other format is an annotation. */

import { compileRegex } from "../cel/regex.js";
import { isIpv4, isIpv6 } from "./addresses.js";
import { isUri, isUriReference, isUriTemplate } from "./uri.js";

const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date", isDate],
  ["date-time", isDateTime],
  ["duration", isDuration],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ip-address", isIpv4],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["iri", isUri],
  ["iri-reference", isUriReference],
  ["json-pointer", isJsonPointer],
  ["period", isPeriod],
  ["regex", (text) => compileRegex(text) !== undefined],
  ["relative-json-pointer", isRelativeJsonPointer],
  ["time", isTime],
  ["uri", isUri],
  ["uri-reference", isUriReference],
  ["uri-template", isUriTemplate],
  ["uriref", isUriReference],
  ["uuid", (text) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)],
]);

export function hasFormat(text: string, format: string): boolean {
  return FORMATS.get(format)?.(text) ?? true;
}

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  const leap = y % 4 === 0 && (y % 100 !== 0 || y % 400 === 0);
  const days = m === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(m) ? 30 : 31;
  return m >= 1 && m <= 12 && d >= 1 && d <= days;
}

function isTime(text: string): boolean {
  const match = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i.exec(text);
  if (match === null) return false;
  const [, h, m, s, sign, zh = "0", zm = "0"] = match;
  if (Number(h) > 23 || Number(m) > 59 || Number(s) > 60 || Number(zh) > 23 || Number(zm) > 59) return false;
  if (Number(s) < 60) return true;
  // A leap second is the last second of a day in UTC.
  const offset = Number(zh) * 60 + Number(zm);
  const minute = Number(h) * 60 + Number(m) + (sign === "-" ? offset : -offset);
  return (minute < 0 ? minute + 1440 : minute) === 1439;
}

function isDateTime(text: string): boolean {
  return /^[tT]$/.test(text.charAt(10)) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

const DAYS = /(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)/.source;
const HOURS = /T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)/.source;
/** Weeks alone, or the other units without a gap between them (RFC 3339, appendix A). */
const DURATION = new RegExp(`^P(?:\\d+W|${DAYS}(?:${HOURS})?|${HOURS})$`);

function isDuration(text: string): boolean {
  return DURATION.test(text);
}

function isPeriod(text: string): boolean {
  const slash = text.indexOf("/");
  const [start, end] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  if (start.startsWith("P")) return isDuration(start) && isDateTime(end);
  return isDateTime(start) && (end.startsWith("P") ? isDuration(end) : isDateTime(end));
}

function isHostname(text: string): boolean {
  const name = text.endsWith(".") ? text.slice(0, -1) : text;
  return name.length <= 253 && name.split(".").every(isLabel);
}

function isLabel(label: string): boolean {
  return label.length <= 63 && /^[a-z0-9-]+$/i.test(label) && !label.startsWith("-") && !label.endsWith("-");
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (at < 0 || new TextEncoder().encode(text).length > 254) return false;
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  if (local.length > 64 || !isLocalPart(local)) return false;
  const [, address] = /^\[(.*)\]$/s.exec(domain) ?? [];
  if (address === undefined) return isHostname(domain);
  return address.startsWith("IPv6:") ? isIpv6(address.slice(5)) : isIpv4(address);
}

/** The local part by RFC 5322 as Go parses it; all characters beyond ASCII are allowed. */
function isLocalPart(local: string): boolean {
  const [, quoted] = /^"(.*)"$/s.exec(local) ?? [];
  if (quoted !== undefined) return /^(?:[\t !#-[\]-~\u{80}-\u{10ffff}]|\\[\t -~\u{80}-\u{10ffff}])+$/u.test(quoted);
  if (local.startsWith(".") || local.endsWith(".") || local.includes("..")) return false;
  return /^[a-z0-9.!#$%&'*+\-/=?^_`{|}~\u{80}-\u{10ffff}]+$/iu.test(local);
}

function isJsonPointer(text: string): boolean {
  return text === "" || (text.startsWith("/") && !/~(?![01])/.test(text));
}

function isRelativeJsonPointer(text: string): boolean {
  const [, rest] = /^(?:0|[1-9]\d*)(.*)$/s.exec(text) ?? [];
  return rest !== undefined && (rest === "#" || isJsonPointer(rest));
}
