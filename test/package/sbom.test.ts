/** The software bill of materials lists exactly the packages that NOTICE names and those that are installed. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { BUILT, ROOT } from "../support/built.js";

interface Component {
  readonly name: string;
  readonly version: string;
  readonly licenses: readonly { readonly license: { readonly id: string } }[];
  readonly hashes: readonly { readonly alg: string }[];
}

test.runIf(BUILT)("the package brings a bill of its parts, with versions, licences and hashes", () => {
  const bill = JSON.parse(readFileSync(`${ROOT}dist/sbom.cdx.json`, "utf8"));
  const { name, version, dependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
  const lock = JSON.parse(readFileSync(`${ROOT}package-lock.json`, "utf8"));
  expect([bill.bomFormat, bill.metadata.component.name, bill.metadata.component.version]).toEqual([
    "CycloneDX",
    name,
    version,
  ]);
  const components: readonly Component[] = bill.components;
  const noticed = readFileSync(`${ROOT}NOTICE`, "utf8").matchAll(/^- (\S+), (\S+)$/gm);
  const bundled = [...noticed].map(([, work, license]) => `${work} ${license}`);
  const listed = components.map(({ name, licenses }) => `${name} ${licenses[0]?.license.id}`);
  expect(listed).toEqual(expect.arrayContaining(bundled));
  const names = [...bundled.map((work) => work.split(" ")[0]), ...Object.keys(dependencies)];
  expect(components.map(({ name }) => name).toSorted()).toEqual([...new Set(names)].toSorted());
  for (const { name, version, hashes } of components) {
    expect([name, version]).toEqual([name, lock.packages[`node_modules/${name}`].version]);
    expect(hashes.map(({ alg }) => alg)).toEqual(["SHA-512"]);
  }
});

test.runIf(BUILT)("the bill has no date and no serial number, so that a build can be repeated", () => {
  const text = readFileSync(`${ROOT}dist/sbom.cdx.json`, "utf8");
  expect(text).not.toMatch(/timestamp|serialNumber/);
});
