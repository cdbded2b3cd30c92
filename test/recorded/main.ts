/** Asks the real server anew, and writes what it answers: `npm run record [TOPIC …]`. */

import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { startServer } from "../support/server.js";
import { comparable } from "./comparable.js";
import { answersFile, type Topic, topics } from "./topics.js";

const wanted = process.argv.slice(2);

for (const topic of topics()) {
  if (wanted.length === 0 || wanted.includes(topic.name)) await record(topic);
}

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
    await writeFile(answersFile(topic), `${JSON.stringify(answers, null, 1)}\n`);
  } finally {
    await server.stop();
  }
}
