/** `inIPAddrRange`: Go's `net.ParseIP`, `net.ParseCIDR` and `IPNet.Contains`. */

import { type Evaluation, fail, spend } from "../evaluation.js";
import { readIPv4 } from "../ipv4.js";
import { BOOL, STRING } from "../types.js";
import { binary, type Overload } from "./overload.js";

/** The cost of parsing an address and a network, which was measured at about 3 µs. */
export const RANGE_COST = 30;

/** More than the length of any address. */
const MAX_LENGTH = 64;

interface Network {
  /** 4 or 16 bytes. */
  readonly address: readonly number[];
  readonly bits: number;
}

function parseIPv4(text: string): number[] | undefined {
  const address = readIPv4(text);
  return address < 0 ? undefined : [address >>> 24, (address >>> 16) & 0xff, (address >>> 8) & 0xff, address & 0xff];
}

/** Eight groups. `::` may replace one run of zeros, and an IPv4 address the last two. */
function parseIPv6(text: string): number[] | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = groups(halves[0] ?? "", halves.length === 1);
  const tail = halves.length === 2 ? groups(halves[1] ?? "", true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined;
  return [...head, ...new Array<number>(missing).fill(0), ...tail];
}

/** The bytes of groups between colons. Only at the end of the address may the last group be an IPv4 address. */
function groups(text: string, isEnd: boolean): number[] | undefined {
  if (text === "") return [];
  const bytes: number[] = [];
  const parts = text.split(":");
  for (const [i, part] of parts.entries()) {
    if (isEnd && i === parts.length - 1 && part.includes(".")) {
      const embedded = parseIPv4(part);
      if (embedded === undefined) return undefined;
      bytes.push(...embedded);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      const group = Number.parseInt(part, 16);
      bytes.push(group >> 8, group & 0xff);
    } else {
      return undefined;
    }
  }
  return bytes;
}

/** The 4 or 16 bytes of an address. Addresses with a zone (`fe80::1%eth0`) are refused. */
export function parseAddress(text: string): number[] | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  return text.includes(":") ? parseIPv6(text) : parseIPv4(text);
}

/** Turns an IPv4 address mapped to IPv6 (`::ffff:10.0.0.1`) into its 4 bytes; other addresses stay. */
function unmapped(address: readonly number[]): readonly number[] {
  const isMapped = address.length === 16 && address.slice(0, 10).every((byte) => byte === 0);
  return isMapped && address[10] === 0xff && address[11] === 0xff ? address.slice(12) : address;
}

export function parseNetwork(text: string): Network | undefined {
  const slash = text.indexOf("/");
  if (slash < 0) return undefined;
  const address = parseAddress(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (address === undefined || !/^[0-9]{1,8}$/.test(length)) return undefined;
  const bits = Number(length);
  if (bits > address.length * 8) return undefined;
  const base = unmapped(masked(address, bits));
  return { address: base, bits: base.length < address.length ? Math.max(bits - 96, 0) : bits };
}

/** The address with all bits after the first `bits` cleared. */
export function masked(address: readonly number[], bits: number): number[] {
  return address.map((byte, i) => byte & maskOf(bits - i * 8));
}

/** The mask of one byte for its first `bits` bits. */
function maskOf(bits: number): number {
  if (bits >= 8) return 0xff;
  return bits <= 0 ? 0 : (0xff << (8 - bits)) & 0xff;
}

function inIPAddrRange(ev: Evaluation, ip: string, cidr: string): boolean | undefined {
  if (!spend(ev, RANGE_COST)) return undefined;
  const parsed = parseAddress(ip);
  if (parsed === undefined) return fail(ev, `invalid IP address: ${ip.slice(0, MAX_LENGTH)}`);
  const network = parseNetwork(cidr);
  if (network === undefined) return fail(ev, `invalid CIDR address: ${cidr.slice(0, MAX_LENGTH)}`);
  const address = unmapped(parsed);
  if (address.length !== network.address.length) return false;
  return masked(address, network.bits).every((byte, i) => byte === network.address[i]);
}

export const ipFunctions: readonly Overload[] = [
  binary("member", "inIPAddrRange", STRING, STRING, BOOL, inIPAddrRange),
];
