/** Functions of IP addresses and CIDR ranges (cel-go `ext/network.go` of v0.30). */

import { type Evaluation, fail, spend } from "../evaluation.js";
import { BOOL, INT, opaque, STRING } from "../types.js";
import { Cidr, IpAddress, parseCidr, parseIp } from "./network-value.js";
import { binary, type Overload, unary } from "./overload.js";

const IP = opaque("net.IP", (v): v is IpAddress => v instanceof IpAddress);
const CIDR = opaque("net.CIDR", (v): v is Cidr => v instanceof Cidr);
/** Measured: parsing or formatting an address or a range takes 1 to 2 µs. */
const COST = 15;
/** How many characters of an invalid text an error quotes. */
const SHOWN = 64;

function ipOf(ev: Evaluation, text: string): IpAddress | undefined {
  if (!spend(ev, COST)) return undefined;
  const ip = parseIp(text);
  return typeof ip === "string" ? fail(ev, `${ip}: ${text.slice(0, SHOWN)}`) : ip;
}

function cidrOf(ev: Evaluation, text: string): Cidr | undefined {
  if (!spend(ev, COST)) return undefined;
  const cidr = parseCidr(text);
  return typeof cidr === "string" ? fail(ev, `${cidr}: ${text.slice(0, SHOWN)}`) : cidr;
}

/** Tests the first two bytes of an address, or all of them. */
type AddressTest = (first: number, second: number, bytes: readonly number[]) => boolean;

function family(v4: AddressTest, v6: AddressTest): (ip: IpAddress) => boolean {
  return ({ bytes }) => (bytes.length === 4 ? v4 : v6)(bytes[0] ?? 0, bytes[1] ?? 0, bytes);
}

function areZero(bytes: readonly number[]): boolean {
  return bytes.every((byte) => byte === 0);
}

const isUnspecified = family(
  (_a, _b, bytes) => areZero(bytes),
  (_a, _b, bytes) => areZero(bytes),
);
const isLoopback = family(
  (a) => a === 127,
  (_a, _b, bytes) => areZero(bytes.slice(0, 15)) && bytes[15] === 1,
);
const isMulticast = family(
  (a) => (a & 0xf0) === 0xe0,
  (a) => a === 0xff,
);
const isLinkLocalUnicast = family(
  (a, b) => a === 169 && b === 254,
  (a, b) => a === 0xfe && (b & 0xc0) === 0x80,
);
const isLinkLocalMulticast = family(
  (a, b, bytes) => a === 224 && b === 0 && bytes[2] === 0,
  (a, b) => a === 0xff && (b & 0x0f) === 2,
);

function isBroadcast({ bytes }: IpAddress): boolean {
  return bytes.length === 4 && bytes.every((byte) => byte === 255);
}

/** As in Go, private addresses count as global. */
function isGlobalUnicast(ip: IpAddress): boolean {
  const tests = [isUnspecified, isBroadcast, isLoopback, isMulticast, isLinkLocalUnicast];
  return !tests.some((test) => test(ip));
}

function isCanonical(ev: Evaluation, text: string): boolean | undefined {
  const ip = ipOf(ev, text);
  return ip === undefined ? undefined : ip.text() === text;
}

function containsCidr(range: Cidr, other: Cidr): boolean {
  return range.bits <= other.bits && range.contains(other.address);
}

function ofText<T>(parse: (ev: Evaluation, text: string) => T | undefined, test: (range: Cidr, value: T) => boolean) {
  return (ev: Evaluation, range: Cidr, text: string): boolean | undefined => {
    const value = parse(ev, text);
    return value === undefined ? undefined : test(range, value);
  };
}

const containsIp = (range: Cidr, ip: IpAddress): boolean => range.contains(ip);

function ofIp(name: string, test: (ip: IpAddress) => boolean): Overload {
  return unary("member", name, IP, BOOL, (_ev, ip) => test(ip));
}

export const networkFunctions: readonly Overload[] = [
  unary("global", "isIP", STRING, BOOL, (ev, text) =>
    spend(ev, COST) ? typeof parseIp(text) !== "string" : undefined,
  ),
  unary("global", "isCIDR", STRING, BOOL, (ev, text) =>
    spend(ev, COST) ? typeof parseCidr(text) !== "string" : undefined,
  ),
  unary("global", "ip", STRING, IP, ipOf),
  unary("global", "cidr", STRING, CIDR, cidrOf),
  unary("global", "ip.isCanonical", STRING, BOOL, isCanonical),
  unary("member", "family", IP, INT, (_ev, { bytes }) => (bytes.length === 4 ? 4n : 6n)),
  ofIp("isUnspecified", isUnspecified),
  ofIp("isLoopback", isLoopback),
  ofIp("isGlobalUnicast", isGlobalUnicast),
  ofIp("isLinkLocalMulticast", isLinkLocalMulticast),
  ofIp("isLinkLocalUnicast", isLinkLocalUnicast),
  binary("member", "containsIP", CIDR, IP, BOOL, (_ev, range, ip) => containsIp(range, ip)),
  binary("member", "containsIP", CIDR, STRING, BOOL, ofText(ipOf, containsIp)),
  binary("member", "containsCIDR", CIDR, CIDR, BOOL, (_ev, range, other) => containsCidr(range, other)),
  binary("member", "containsCIDR", CIDR, STRING, BOOL, ofText(cidrOf, containsCidr)),
  unary("member", "ip", CIDR, IP, (_ev, { address }) => address),
  unary("member", "masked", CIDR, CIDR, (_ev, range) => range.masked()),
  unary("member", "isMask", CIDR, BOOL, (_ev, range) => range.equals(range.masked())),
  unary("member", "prefixLength", CIDR, INT, (_ev, { bits }) => BigInt(bits)),
  unary("global", "string", IP, STRING, (ev, ip) => (spend(ev, COST) ? ip.text() : undefined)),
  unary("global", "string", CIDR, STRING, (ev, range) => (spend(ev, COST) ? range.text() : undefined)),
];
