/** The address of a caller: that of the connection, or that which a trusted proxy reports. */

import { BlockList, isIP, isIPv6 } from "node:net";

/** IPv4 in the form of IPv6, as sockets that listen on both report it (RFC 4291 §2.5.5.2). */
const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/** True if a text is an address, or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [address = "", bits, ...more] = text.split("/");
  const longest = isIPv6(address) ? 128 : 32;
  const isLength = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest);
  return isIP(address) !== 0 && isLength && more.length === 0;
}

export class CallerAddresses {
  private readonly trusted = new BlockList();

  /** `proxies`: the addresses and networks that may set `X-Forwarded-For`. */
  constructor(proxies: readonly string[]) {
    for (const proxy of proxies) {
      const [address = "", bits] = proxy.split("/");
      const family = isIPv6(address) ? "ipv6" : "ipv4";
      if (bits === undefined) this.trusted.addAddress(address, family);
      else this.trusted.addSubnet(address, Number(bits), family);
    }
  }

  /**
   * The address of the caller. Each proxy appends the address that it serves, so the field is read from its end, and only
   * as far as proxies are trusted: callers can write anything into the rest. `""` without a connection, as in tests.
   */
  of(connection: string | undefined, headers: Pick<Headers, "get">): string {
    let address = plain(connection ?? "");
    if (!this.isTrusted(address)) return address;
    const hops = (headers.get("x-forwarded-for") ?? "").split(",").map((hop) => hop.trim());
    while (this.isTrusted(address)) {
      const hop = plain(hops.pop() ?? "");
      if (isIP(hop) === 0) break;
      address = hop;
    }
    return address;
  }

  private isTrusted(address: string): boolean {
    return isIP(address) !== 0 && this.trusted.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  }
}

const plain = (address: string) => address.replace(MAPPED, "");

/** The part of an address that stands for one caller: all of IPv4, and the first 64 bits of IPv6 (RFC 6177). */
export function callerNetworkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [before = "", after] = address.split("::");
  const groups = (text: string) => text.split(":").filter((group) => group !== "");
  // An IPv4 address at the end stands for two groups.
  const last = groups(after ?? "").flatMap((group) => (group.includes(".") ? ["0", "0"] : [group]));
  const first = groups(before);
  const zeros = after === undefined ? [] : Array.from({ length: 8 - first.length - last.length }, () => "0");
  const network = [...first, ...zeros, ...last].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
