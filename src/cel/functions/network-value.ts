/**
 * IP addresses and CIDR ranges as values: Go's `net/netip`, without zones and without IPv4 addresses mapped to IPv6.
 */

import { keepShapeAlive } from "../keep-alive.js";
import { type CelValue, Opaque } from "../values.js";
import { masked, parseAddress } from "./ip.js";

/** `net.IP`. */
export class IpAddress extends Opaque {
  readonly typeName = "net.IP";
  /** 4 or 16 bytes. */
  readonly bytes: readonly number[];

  constructor(bytes: readonly number[]) {
    super();
    this.bytes = bytes;
  }

  equals(other: CelValue): boolean {
    return other instanceof IpAddress && sameBytes(this.bytes, other.bytes);
  }

  override comparableWith(_other: CelValue): boolean {
    return true;
  }

  /** The text by RFC 5952. */
  text(): string {
    return this.bytes.length === 4 ? this.bytes.join(".") : textOfIPv6(this.bytes);
  }
}

/** `net.CIDR`. The address keeps the bits after the prefix. */
export class Cidr extends Opaque {
  readonly typeName = "net.CIDR";
  readonly address: IpAddress;
  readonly bits: number;

  constructor(address: IpAddress, bits: number) {
    super();
    this.address = address;
    this.bits = bits;
  }

  equals(other: CelValue): boolean {
    return other instanceof Cidr && this.bits === other.bits && this.address.equals(other.address);
  }

  override comparableWith(_other: CelValue): boolean {
    return true;
  }

  text(): string {
    return `${this.address.text()}/${this.bits}`;
  }

  /** The range with all bits after the prefix cleared. */
  masked(): Cidr {
    return new Cidr(new IpAddress(masked(this.address.bytes, this.bits)), this.bits);
  }

  /** Whether the address has this range's family and prefix. */
  contains({ bytes }: IpAddress): boolean {
    const own = this.address.bytes;
    return own.length === bytes.length && sameBytes(masked(own, this.bits), masked(bytes, this.bits));
  }
}
keepShapeAlive(new Cidr(new IpAddress([]), 0));

function sameBytes(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** The address, or the reason why the text is invalid. */
export function parseIp(text: string): IpAddress | string {
  if (text.includes("%")) return "an IP address with a zone is not allowed";
  const bytes = parseAddress(text);
  if (bytes === undefined) return "not an IP address";
  return isMapped(bytes) ? "an IPv4 address mapped into IPv6 is not allowed" : new IpAddress(bytes);
}

/** The range, or the reason why the text is invalid. */
export function parseCidr(text: string): Cidr | string {
  const slash = text.lastIndexOf("/");
  if (slash < 0) return "not a CIDR range";
  const address = parseIp(text.slice(0, slash));
  if (typeof address === "string") return address;
  const bits = text.slice(slash + 1);
  const isLength = /^(?:0|[1-9][0-9]{0,2})$/.test(bits) && Number(bits) <= address.bytes.length * 8;
  return isLength ? new Cidr(address, Number(bits)) : "not a CIDR range: the length of its prefix is wrong";
}

function isMapped(bytes: readonly number[]): boolean {
  return (
    bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  );
}

/** `::` replaces the longest run of two or more zero groups; of equally long runs, the first. */
function textOfIPv6(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[i * 2] ?? 0) << 8) | (bytes[i * 2 + 1] ?? 0));
  let from = 0;
  let length = 1;
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && groups[end] === 0) end++;
    if (end - i > length) [from, length] = [i, end - i];
    if (end > i) i = end;
  }
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(":");
  if (length < 2) return hex(groups);
  return `${hex(groups.slice(0, from))}::${hex(groups.slice(from + length))}`;
}
