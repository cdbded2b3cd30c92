/**
 * IP addresses and CIDR ranges, by cel-go's documentation, the specification's `network_ext` tests (not yet in the
 * installed data) and Go's `net/netip`; no available server has them.
 */

import { BlockList, isIP as isNodeIp } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Cidr, IpAddress } from "../../../src/cel/functions/network-value.js";
import { value } from "../value.js";
import { call } from "./support.js";
import "../../support/seed.js";

test.each([
  ["string(ip('192.168.0.1'))", "192.168.0.1"],
  ["string(ip('2001:db8::68'))", "2001:db8::68"],
  ["string(ip('2001:DB8:0:0:1:0:0:1'))", "2001:db8::1:0:0:1"],
  ["string(ip('1:0:0:2:0:0:0:3'))", "1:0:0:2::3"],
  ["string(ip('1:0:2:0:3:0:4:0'))", "1:0:2:0:3:0:4:0"],
  ["string(ip('::1.2.3.4'))", "::102:304"],
  ["string(ip('::'))", "::"],
  ["string(ip('1::'))", "1::"],
  ["isIP('192.168.0.1')", true],
  ["isIP('192.168.0.1.0')", false],
  ["isIP('127.0.0.1:80')", false],
  ["isIP('1.2.3.04')", false],
  ["isIP('2001:db8:::68')", false],
  ["isIP('fe80::1%en0')", false],
  ["isIP('::ffff:192.168.0.1')", false],
  ["isIP('1:2:3:4:5:6:7::')", true],
  ["isIP('1:2:3:4:5:6:7:8::')", false],
  ["isIP('')", false],
  ["isIP(cidr('192.168.0.0/24'))", "refused: found no matching overload for 'isIP' applied to '(net.CIDR)'"],
  ["ip(R.attr.ip) == ip('192.168.0.5')", true],
  ["ip(R.attr.s)", "error"],
  ["ip(R.attr.n)", "error"],
  ["ip('192.168.0.1.0')", "refused: invalid ip argument"],
  ["ip('fe80::1%en0')", "refused: invalid ip argument"],
  ["ip('::ffff:c0a8:1')", "refused: invalid ip argument"],
  ["ip.isCanonical('127.0.0.1')", true],
  ["ip.isCanonical('127.0.0.1.0')", "error"],
  ["ip.isCanonical('2001:db8::1')", true],
  ["ip.isCanonical('2001:DB8::68')", false],
  ["ip.isCanonical('2001:db8:0:0:0:0:0:1')", false],
  ["['a'].exists(ip, ip.isCanonical('::1'))", true],
  ["type(ip('192.168.0.1')) == net.IP", true],
  ["type(cidr('192.168.0.0/24')) == net.CIDR", true],
  ["net.ip", "refused: undeclared reference to 'net'"],
  ["ip('192.168.0.1').family()", 4],
  ["ip('2001:db8::68').family()", 6],
  ["ip('::1.2.3.4').family()", 6],
  ["ip('2001:db8::1') == ip('2001:DB8::1')", true],
  ["ip('::') == ip('::ffff')", false],
  ["ip('0.0.0.0') == ip('::')", false],
  ["ip('1.2.3.4') == '1.2.3.4'", /^refused: found no matching overload/],
  ["dyn(ip('1.2.3.4')) == '1.2.3.4'", false],
  ["ip('1.2.3.4') in [ip('1.2.3.4')]", true],
  ["ip('1.2.3.4') < ip('1.2.3.5')", /^refused: found no matching overload/],
  ["'%s'.format([ip('1.2.3.4')])", /^refused: error during formatting/],
  ["isCIDR('10.0.0.0/8')", true],
  ["isCIDR('10.0.0.1/8')", true],
  ["isCIDR('10.0.0.0/33')", false],
  ["isCIDR('10.0.0.0/08')", false],
  ["isCIDR('10.0.0.0/+8')", false],
  ["isCIDR('10.0.0.0/')", false],
  ["isCIDR('10.0.0.0')", false],
  ["isCIDR('::/128')", true],
  ["isCIDR('::/129')", false],
  ["isCIDR('fe80::1%en0/24')", false],
  ["isCIDR('::ffff:192.168.0.1/96')", false],
  ["string(cidr('192.168.1.5/24'))", "192.168.1.5/24"],
  ["string(cidr('2001:db8::/32'))", "2001:db8::/32"],
  ["cidr(R.attr.s)", "error"],
  ["cidr('192.168.0.0/')", "refused: invalid cidr argument"],
  ["cidr('127.0.0.1/24') == cidr('127.0.0.1/24')", true],
  ["cidr('127.0.0.1/24') == cidr('127.0.0.0/24')", false],
  ["cidr('2001:db8::/32') == cidr('10.0.0.1/32')", false],
  ["cidr('192.168.0.0/24').containsIP(ip('192.168.0.1'))", true],
  ["cidr('192.168.0.0/24').containsIP(R.attr.ip)", true],
  ["cidr('192.168.0.0/24').containsIP('192.168.1.1')", false],
  ["cidr('192.168.0.5/24').containsIP('192.168.0.77')", true],
  ["cidr('10.0.0.0/8').containsIP('not-an-ip')", "error"],
  ["cidr('10.0.0.0/8').containsIP(1)", /^refused: found no matching overload/],
  ["cidr('0.0.0.0/0').containsIP('::1')", false],
  ["cidr('::/0').containsIP('1.2.3.4')", false],
  ["cidr('2001:db8::/32').containsIP(ip('2001:db8::1'))", true],
  ["cidr('10.0.0.0/8').containsCIDR(cidr('10.0.0.0/8'))", true],
  ["cidr('192.168.0.0/24').containsCIDR('192.168.0.0/25')", true],
  ["cidr('192.168.0.0/24').containsCIDR(cidr('192.168.0.0/23'))", false],
  ["cidr('10.0.0.0/8').containsCIDR(cidr('11.0.0.0/8'))", false],
  ["cidr('10.0.0.0/8').containsCIDR(cidr('::1/128'))", false],
  ["cidr('10.0.0.0/8').containsCIDR('not-a-cidr')", "error"],
  ["cidr('192.168.1.5/24').ip() == ip('192.168.1.5')", true],
  ["cidr('192.168.1.5/24').masked() == cidr('192.168.1.0/24')", true],
  ["cidr('192.168.1.0/24').isMask()", true],
  ["cidr('192.168.1.5/24').isMask()", false],
  ["cidr('2001:db8::/32').prefixLength()", 32],
  ["ip('1.2.3.4').prefixLength()", /^refused: found no matching overload/],
])("%s", (source, expected) => {
  if (expected instanceof RegExp) expect(value(source)).toMatch(expected);
  else expect(value(source)).toEqual(expected);
});

describe("kinds of addresses", () => {
  const KINDS = [
    "isUnspecified",
    "isLoopback",
    "isGlobalUnicast",
    "isLinkLocalMulticast",
    "isLinkLocalUnicast",
  ] as const;
  test.each<readonly [string, ...(typeof KINDS)[number][]]>([
    ["0.0.0.0", "isUnspecified"],
    ["::", "isUnspecified"],
    ["127.0.0.1", "isLoopback"],
    ["127.255.0.1", "isLoopback"],
    ["::1", "isLoopback"],
    ["8.8.8.8", "isGlobalUnicast"],
    ["192.168.0.1", "isGlobalUnicast"],
    ["2001:db8::abcd", "isGlobalUnicast"],
    ["fd80::1", "isGlobalUnicast"],
    ["::2", "isGlobalUnicast"],
    ["255.255.255.255"],
    ["224.0.0.1", "isLinkLocalMulticast"],
    ["224.0.1.1"],
    ["239.1.2.3"],
    ["ff02::1", "isLinkLocalMulticast"],
    ["ff12::1", "isLinkLocalMulticast"],
    ["ff00::1"],
    ["169.254.169.254", "isLinkLocalUnicast"],
    ["fe80::1", "isLinkLocalUnicast"],
    ["febf::1", "isLinkLocalUnicast"],
    ["fec0::1", "isGlobalUnicast"],
  ])("%s", (address, ...expected) => {
    expect(KINDS.filter((kind) => value(`ip('${address}').${kind}()`))).toEqual(expected);
  });
});

describe("laws", () => {
  const v4 = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 });
  const v6 = fc.array(fc.oneof(fc.constant(0), fc.nat(255)), { minLength: 16, maxLength: 16 });
  const address = fc.oneof(v4, v6).map((bytes) => new IpAddress(bytes));
  const isMapped = ({ bytes }: IpAddress): boolean =>
    bytes.length === 16 && bytes.slice(0, 10).every((b) => b === 0) && bytes[10] === 255 && bytes[11] === 255;

  test("an address is what its text says, and Node agrees that it is one", () => {
    fc.assert(
      fc.property(address, (ip) => {
        fc.pre(!isMapped(ip));
        expect(isNodeIp(ip.text())).toBe(ip.bytes.length === 4 ? 4 : 6);
        expect(call("ip", "global", ip.text())).toEqual(ip);
        expect(call("ip.isCanonical", "global", ip.text())).toBe(true);
      }),
    );
  });

  test("a range contains what Node's block list says", () => {
    fc.assert(
      fc.property(address, fc.nat(128), address, fc.boolean(), (base, length, other, near) => {
        const bits = Math.min(length, base.bytes.length * 8);
        const range = new Cidr(base, bits);
        // Half of the addresses share their first bytes.
        const bytes = near ? base.bytes.map((byte, i) => (i * 8 < bits ? byte : (other.bytes[i] ?? 0))) : other.bytes;
        const ip = new IpAddress(bytes);
        const list = new BlockList();
        list.addSubnet(base.text(), bits, base.bytes.length === 4 ? "ipv4" : "ipv6");
        const inList =
          base.bytes.length === bytes.length && list.check(ip.text(), bytes.length === 4 ? "ipv4" : "ipv6");
        expect(call("containsIP", "member", range, ip)).toBe(inList);
        expect(call("containsCIDR", "member", range, new Cidr(ip, bytes.length * 8))).toBe(inList);
      }),
    );
  });

  test("ranges: masked is contained both ways, and containing is transitive", () => {
    const range = fc.tuple(v4, fc.nat(32)).map(([bytes, bits]) => new Cidr(new IpAddress(bytes), bits));
    const contains = (a: Cidr, b: Cidr): boolean => call("containsCIDR", "member", a, b) === true;
    fc.assert(
      fc.property(range, fc.nat(32), fc.nat(32), (a, m, n) => {
        const [b, c] = [new Cidr(a.address, Math.max(a.bits, m)), new Cidr(a.address, Math.max(a.bits, m, n))];
        expect([contains(a, a.masked()), contains(a.masked(), a)]).toEqual([true, true]);
        expect([contains(a, b), contains(b, c), contains(a, c)]).toEqual([true, true, true]);
        expect(contains(b, a)).toBe(a.bits === b.bits);
        expect(call("isMask", "member", a.masked())).toBe(true);
      }),
    );
  });
});
