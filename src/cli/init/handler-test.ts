/**
 * A test of the handler: requests over HTTP, and their answers. The expected answers are those of `decide`, so the test
 * stays right when the policies change.
 */

import { an, CHANGES, operationsOf, type PolicyDomain } from "./domain.js";
import type { Framework } from "./frameworks.js";
import { handledOperations, testData, testImports, testRequests, testService } from "./handler-test-service.js";

/** `policies` is the directory of the policies, relative to that of the test. */
export function handlerTestText(domain: PolicyDomain, framework: Framework, policies: string): string {
  const { kind } = domain;
  const operations = handledOperations(domain);
  const { existing, creating, listing, isGuarded } = operations;
  const noted = [...(isGuarded ? ["...world.performed"] : []), ...(listing.length > 0 ? ["...world.filters"] : [])];
  return `/**
 * Requests to the handler over HTTP: each one is answered as the policies decide, and an operation is performed only if it
 * is allowed. Compile this test with the handler, and run it in this directory:
 *
 *     npx tsc --strict --module nodenext --target es2022 --types node --skipLibCheck --outDir build handler-test.ts
 *     node --test build/handler-test.js
 *
 * Under Vitest, rename this file to handler.test.ts, and import \`test\` from "vitest".
 */

${testImports(framework, operations)}
${testData(domain, operations)}${testService(operations)}
${testRequests(framework, policies)}${isGuarded ? EXPECT_DECIDED : ""}${existing.length > 0 ? existingTests(domain) : ""}${creating.length > 0 ? creatingTest(domain) : ""}${listing.length > 0 ? listingTest(domain) : ""}
test("a caller without a valid key is answered with 401", async () => {
  await serving(async (world, ask) => {
    for (const operation of OPERATIONS) {
      for (const authorization of ["", "Bearer", "Bearer unknown", \`Basic \${SECRET}\`]) {
        expectError(await ask(operation, bodyFor("${kind}_1"), authorization), 401, "invalid_key");
      }
    }
    assert.deepEqual([${noted.join(", ")}], []);
  });
});

test("an error of the service is reported, and the caller does not see it", async () => {
  await serving(async (world, ask) => {
    for (const operation of OPERATIONS) {
      const last = LISTING.includes(operation) ? "findAll" : "perform";
      const steps = ["findKey", "findAccount", ...(EXISTING.includes(operation) ? ["find"] : []), last];
      for (world.failing of steps) {
        const answer = await ask(operation, bodyFor("${kind}_1"));
        expectError(answer, 500, "internal_error");
        assert.ok(!JSON.stringify(answer.body).includes(FAILURE));
        assert.deepEqual(world.errors.splice(0), [\`Error: \${FAILURE}\`]);
      }
    }
  });
});
`;
}

const EXPECT_DECIDED = `
/** The answer must be the decision of the policies, and only \`allow\` performs the operation. Returns the outcome. */
async function expectDecided(world: World, ask: Ask, operation: Operation, resource: Resource): Promise<string> {
  const { key } = world;
  const account = world.accountOf(key.attr.accountId);
  const { outcome, fault } = decide(await policies, { key, operation, resource, account });
  assert.equal(fault, undefined);
  world.performed = [];
  const body = bodyFor(resource.id);
  const answer = await ask(operation, body);
  if (outcome === "allow") {
    // The handler chooses the id of a resource that it creates.
    const id = CREATING.includes(operation) ? (world.performed[0]?.resource.id ?? "") : resource.id;
    assert.deepEqual(world.performed, [{ operation, resource: { ...resource, id }, body }]);
    assert.deepEqual(answer, { status: 200, body: { done: operation, id } });
  } else {
    expectError(answer, 403, outcome);
    assert.deepEqual(world.performed, []);
  }
  return outcome;
}
`;

/** The outcomes that occur, in alphabetical order: only changes can be forbidden. */
function outcomesText(domain: PolicyDomain): string {
  const hasChanges = operationsOf(domain, ...CHANGES).some(({ sort }) => sort !== "create");
  return hasChanges ? '["allow", "forbidden", "insufficient_permissions"]' : '["allow", "insufficient_permissions"]';
}

function existingTests(domain: PolicyDomain): string {
  const { kind, noun } = domain;
  const one = an(noun);
  return `
test("an operation on ${one} is answered as the policies decide", async () => {
  await expectOutcomes(${outcomesText(domain)}, async (world, ask) => {
    const outcomes: string[] = [];
    for (const operation of EXISTING) {
      for (const resource of RESOURCES) {
        if (resource.attr.accountId === world.key.attr.accountId) {
          outcomes.push(await expectDecided(world, ask, operation, resource));
        } else {
          world.performed = [];
          expectError(await ask(operation, bodyFor(resource.id)), 404, "not_found");
          assert.deepEqual(world.performed, []);
        }
      }
    }
    return outcomes;
  });
});

test("${one} that does not exist is answered like one of another account", async () => {
  await serving(async (world, ask) => {
    for (const operation of EXISTING) {
      const answers = [await ask(operation, bodyFor("${kind}_3")), await ask(operation, bodyFor("${kind}_4"))];
      for (const answer of answers) expectError(answer, 404, "not_found");
      assert.deepEqual(answers[0]?.body.error, answers[1]?.body.error);
    }
    assert.deepEqual(world.performed, []);
  });
});

test("a body that names no ${noun} is refused", async () => {
  await serving(async (world, ask) => {
    for (const operation of EXISTING) {
      for (const body of [{}, { id: 7 }, { id: null }, [], "null", "{"]) {
        expectError(await ask(operation, body), 400, "invalid_body");
      }
    }
    assert.deepEqual(world.performed, []);
  });
});
`;
}

function creatingTest({ kind, noun }: PolicyDomain): string {
  return `
test("${an(noun)} is created in the account of the key, as the policies decide", async () => {
  const ids = new Set(RESOURCES.map(({ id }) => id));
  await expectOutcomes(["allow", "forbidden", "insufficient_permissions"], async (world, ask) => {
    const outcomes: string[] = [];
    for (const operation of CREATING) {
      const { accountId } = world.key.attr;
      const created: Resource = { kind: "${kind}", id: "${kind}_1", attr: { accountId, state: "active" } };
      outcomes.push(await expectDecided(world, ask, operation, created));
      for (const { resource } of world.performed) {
        assert.ok(!ids.has(resource.id), "its id is new");
        ids.add(resource.id);
      }
    }
    return outcomes;
  });
});
`;
}

function listingTest({ kind, nouns }: PolicyDomain): string {
  return `
test("a list has the ${nouns} that the policies allow, and reads no others", async () => {
  await expectOutcomes(["allow", "insufficient_permissions"], async (world, ask) => {
    const outcomes: string[] = [];
    for (const operation of LISTING) {
      const { key } = world;
      const account = world.accountOf(key.attr.accountId);
      const plan = planDecisions(await policies, { key, account, operation, kind: "${kind}" });
      const decisions = decideAll(await policies, { key, account, operation }, RESOURCES);
      const resources = RESOURCES.filter((_, i) => decisions[i]?.outcome === "allow");
      world.filters = [];
      assert.deepEqual(await ask(operation, bodyFor("${kind}_1")), { status: 200, body: { resources } });
      assert.deepEqual(world.filters, plan.outcome === "none" ? [] : [plan.filter]);
      outcomes.push(...decisions.map(({ outcome }) => outcome));
    }
    return outcomes;
  });
});
`;
}
