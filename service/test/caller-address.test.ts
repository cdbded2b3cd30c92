/** The address of a caller, and the network that stands for it. */

import { expect, test } from "vitest";
import { CallerAddresses, callerNetworkOf, isNetwork } from "../src/http/caller-address.js";

const PROXIES = ["10.0.0.0/8", "192.0.2.1", "2001:db8::/32"];

test.each<[string, string | undefined, string | null, string, (readonly string[])?]>([
  ["no connection", undefined, "1.1.1.1", ""],
  ["no proxy is trusted", "10.0.0.1", "1.1.1.1", "10.0.0.1", []],
  ["not a trusted proxy", "9.9.9.9", "1.1.1.1", "9.9.9.9"],
  ["a trusted proxy", "10.0.0.1", "1.1.1.1", "1.1.1.1"],
  ["a trusted proxy, mapped", "::ffff:10.0.0.1", "::ffff:1.1.1.1", "1.1.1.1"],
  ["a trusted proxy of IPv6", "2001:db8::1", "2a00::1", "2a00::1"],
  ["a chain of them", "10.0.0.1", "1.1.1.1, 192.0.2.1", "1.1.1.1"],
  ["a forged beginning", "10.0.0.1", "8.8.8.8, 1.1.1.1", "1.1.1.1"],
  ["trusted addresses alone", "10.0.0.1", "10.0.0.2", "10.0.0.2"],
  ["no field", "10.0.0.1", null, "10.0.0.1"],
  ["not an address", "10.0.0.1", "unknown", "10.0.0.1"],
  ["not an address before one", "10.0.0.1", "x', 1.1.1.1", "1.1.1.1"],
])("behind %s", (_, connection, forwarded, address, proxies = PROXIES) => {
  const headers = new Headers(forwarded === null ? {} : { "x-forwarded-for": forwarded });
  expect(new CallerAddresses(proxies).of(connection, headers)).toBe(address);
});

test.each([
  ["", ""],
  ["192.0.2.7", "192.0.2.7"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:DB8:0:0:ffff::", "2001:db8:0:0::/64"],
  ["2001:0db8:0:1:2:3:4:5", "2001:db8:0:1::/64"],
  ["::1", "0:0:0:0::/64"],
  ["64:ff9b:0:1::192.0.2.7", "64:ff9b:0:1::/64"],
  ["1:2::192.0.2.7", "1:2:0:0::/64"],
])("the network of %s is %s", (address, network) => {
  expect(callerNetworkOf(address)).toBe(network);
});

test.each([
  ["10.0.0.0/8", true],
  ["10.0.0.1", true],
  ["2001:db8::/128", true],
  ["10.0.0.0/33", false],
  ["10.0.0.0/", false],
  ["10.0.0.0/8/8", false],
  ["proxy.internal", false],
  ["", false],
])("%j names a network: %s", (text, expected) => {
  expect(isNetwork(text)).toBe(expected);
});
