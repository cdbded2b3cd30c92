/**
 * Queries the real server and records its answers: `npm run record [TOPIC …]`. Topics also include
 * `plans-of-expressions` and `schema-faults`.
 */

import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { SCHEMA_CASES, SCHEMA_FILES, schemaRequest } from "../cerbos/schema-cases.js";
import { withStore } from "../cerbos/store.js";
import type { JsonObject } from "../differential/json.js";
import { GLOBALS, POLICY, QUESTIONS } from "../query/expressions.js";
import { type Server, startServer } from "../support/server.js";
import { comparable, comparableFaults, comparablePlan } from "./comparable.js";
import { answersFile, plansFile, RECORDED, type Topic, topics } from "./topics.js";

const wanted = process.argv.slice(2);

const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);

for (const topic of topics()) if (isWanted(topic.name)) await record(topic);
if (isWanted("plans-of-expressions")) await recordExpressions();
if (isWanted("schema-faults")) await recordSchemas();

async function record(topic: Topic): Promise<void> {
  const { lenientScopeSearch, strictEvaluation, globals, schemaEnforcement = "none" } = topic.options;
  const server = await startServer(resolve(topic.policies), {
    engine: { lenientScopeSearch, strictEvaluation, globals },
    schema: { enforcement: schemaEnforcement },
    auxData: { jwt: { disableVerification: true } },
  });
  try {
    const answers: { [name: string]: unknown } = {};
    for (const [name, request] of topic.requests) {
      const { text } = await server.check(request);
      answers[name] = comparable(JSON.parse(text));
    }
    await written(answersFile(topic), answers);
    if (topic.plans.size > 0) {
      await written(plansFile(topic), await planned(server, topic.plans, ({ body }) => body));
    }
  } finally {
    await server.stop();
  }
}

async function planned<T>(server: Server, questions: ReadonlyMap<string, T>, bodyOf: (question: T) => JsonObject) {
  const answers: { [name: string]: unknown } = {};
  for (const [name, question] of questions) {
    const { status, text } = await server.plan(bodyOf(question));
    // Requests with refused tokens are left out.
    if (status !== 400) answers[name] = comparablePlan(JSON.parse(text), Date.now());
  }
  return answers;
}

async function recordExpressions(): Promise<void> {
  await withStore({ "policy.json": JSON.stringify(POLICY) }, async (directory) => {
    const server = await startServer(directory, { engine: { globals: GLOBALS } });
    try {
      await written(`${RECORDED}/plans-of-expressions.json`, await planned(server, QUESTIONS, (body) => body));
    } finally {
      await server.stop();
    }
  });
}

async function recordSchemas(): Promise<void> {
  await withStore(SCHEMA_FILES, async (directory) => {
    const server = await startServer(directory, { schema: { enforcement: "warn" } });
    const faults: object[] = [];
    try {
      for (let i = 0; i < SCHEMA_CASES.length; i += 50) {
        const { results } = JSON.parse((await server.check(schemaRequest(i, i + 50))).text);
        for (const { validationErrors = [] } of results) faults.push(comparableFaults(validationErrors));
      }
    } finally {
      await server.stop();
    }
    await written(`${RECORDED}/schema-faults.json`, faults);
  });
}

async function written(path: string, answers: object): Promise<void> {
  await writeFile(path, `${JSON.stringify(answers, null, 1)}\n`);
}
