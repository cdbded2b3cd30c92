/** The files for containers in examples/serve name options and packages that there are. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { SERVE } from "../../src/cli/serve-usage.js";
import { ROOT } from "../support/built.js";

const textOf = (name: string) => readFileSync(`${ROOT}examples/serve/${name}`, "utf8");

describe.each(["Dockerfile", "compose.yaml", "kubernetes.yaml"])("%s", (name) => {
  test("has options of the command alone", () => {
    const text = textOf(name).replaceAll(/^(RUN npm|HEALTHCHECK|# {3}docker build).*(\\\n.*)*| *--set=.*/gm, "");
    const options = [...text.matchAll(/(?<=[\s"[])--([a-z][a-z-]*)/g)].map(([, option = ""]) => option);
    expect(options).toContain("listen");
    expect(options.filter((option) => !Object.hasOwn(SERVE.options, option))).toEqual([]);
  });
});

test("the container file has the versions that are tested, runs as nobody and has a health check", () => {
  const text = textOf("Dockerfile");
  const { version, devDependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
  const installed = [...text.matchAll(/ (@?[\w/-]+)@([\d.]+)/g)].map(([, name = "", pinned]) => [name, pinned]);
  expect(installed).toHaveLength(5);
  for (const [name = "", pinned] of installed) {
    expect([name, pinned]).toEqual([name, name === "keyward" ? version : devDependencies[name]]);
  }
  expect(text).toContain("USER nobody");
  expect(text).toContain("/_cerbos/health");
});

test("the manifests are YAML, and ask for the health of the server", () => {
  const { services } = parse(textOf("compose.yaml"));
  expect(Object.keys(services)).toEqual(["keyward", "cerbos"]);
  const [deployment, service, cerbos, cerbosService] = parseAllDocuments(textOf("kubernetes.yaml")).map((document) =>
    document.toJS(),
  );
  const [container] = deployment.spec.template.spec.containers;
  for (const probe of ["readinessProbe", "livenessProbe"]) {
    expect(container[probe].httpGet).toEqual({ path: "/_cerbos/health", port: "http" });
  }
  expect(service.spec.selector).toEqual(deployment.spec.template.metadata.labels);
  const policies = deployment.spec.template.spec.volumes.find(({ name }: { name: string }) => name === "policies");
  expect(cerbos.spec.template.spec.volumes).toContainEqual(policies);
  expect(cerbosService.spec.selector).toEqual(cerbos.spec.template.metadata.labels);
});
