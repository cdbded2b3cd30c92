/**
 * `keyward/http/express` on Express 4.
 *
 * @module-tag long
 */

import { createRequire } from "node:module";
import express5 from "express";
import { expect, test } from "vitest";
import { expressCases } from "../http/express/express-cases.js";

const express4: typeof express5 = createRequire(import.meta.url)("express-4");

test("these are two versions", () => {
  expect([express4, express5].map((express) => express.application !== undefined)).toEqual([true, true]);
  expect(express4).not.toBe(express5);
});

expressCases(express4, 4);
