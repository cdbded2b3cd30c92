/** `keyward/http/express` on Express 5; `test/platforms` has Express 4. */

import express from "express";
import { expressCases } from "./express-cases.js";

expressCases(express, 5);
