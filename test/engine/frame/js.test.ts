/** Generated source: the literal of any text evaluates to that text. */

import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { joined, js, quoted, singleQuoted } from "../../../src/engine/frame/js.js";

const TEXTS = [
  ...[
    "",
    "a",
    "'",
    '"',
    "\\",
    "\\'",
    '\\"',
    "a'b\"c\\d",
    "\n\r\t\0",
    "\u2028\u2029",
    "`$\u007bx}`",
    "*/ //",
    "\ud800",
    "'\\",
    '"""',
  ],
];

test.each(TEXTS)("%j", (text) => {
  for (const piece of [quoted(text), singleQuoted(text)]) {
    expect(runInNewContext(piece.text)).toBe(text);
    expect(piece.text).not.toMatch(/[\n\r\u2028\u2029]/);
  }
  expect([quoted(text).text.at(0), singleQuoted(text).text.at(0)]).toEqual(['"', "'"]);
});

test("what is JSON is written in single quotes as it is", () => {
  expect(singleQuoted('{"a":["b"]}').text).toBe(`'{"a":["b"]}'`);
});

test("numbers stand beside signs, and pieces beside each other", () => {
  const [a, b] = [js`a`, js`b`];
  expect(
    [js`${-1}`, js`${-0}`, js`${0}`, js`${1.5}`, js`${true}`, js`${null}`, js`-${-2}`].map((one) => one.text),
  ).toEqual([...["(-1)", "(-0)", "0", "1.5", "true", "null", "-(-2)"]]);
  expect([joined([a, b], " + ").text, joined([a], ", ").text, joined([], "\n").text]).toEqual(["a + b", "a", ""]);
});
