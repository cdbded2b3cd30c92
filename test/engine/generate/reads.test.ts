/** The values that generated functions read, by what schemas declare of them. */

import { expect, test } from "vitest";
import { LONG_TEXT } from "../../../src/engine/frame/budget.js";
import { FrameReads, IndexPlaces } from "../../../src/engine/generate/reads.js";
import { SchemaTypes } from "../../../src/schema/declared-type.js";
import { permissions, policy } from "../../support/compose.js";

const PROPERTIES = {
  short: { enum: ["x", "x".repeat(LONG_TEXT - 1), null, true] },
  long: { enum: ["x", "x".repeat(LONG_TEXT)] },
  number: { enum: ["x", 1] },
  flag: { type: "boolean" },
  text: { type: "string" },
};

test("a value is short if it is declared to be no long text, no number, no list and no map", () => {
  const { model } = permissions({
    "doc.yaml": policy({
      rules: ['actions: [read], roles: ["*"], effect: EFFECT_ALLOW'],
      body: 'schemas: { resourceSchema: { ref: "cerbos:///doc.json" } }',
    }),
    "_schemas/doc.json": JSON.stringify({ properties: PROPERTIES }),
  });
  const resource = new SchemaTypes(model.schemas).at("cerbos:///doc.json");
  const reads = new FrameReads({ principal: undefined, resource }, new IndexPlaces());
  const short = [...Object.keys(PROPERTIES), "undeclared"].filter((name) => {
    const found = reads.attribute("resource", [name]);
    return found !== undefined && reads.isShort(found.local);
  });
  expect(short).toEqual(["short", "flag"]);
});
