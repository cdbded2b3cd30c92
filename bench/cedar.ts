/** Applications that Cedar's authors measured, decided by hand, by keyward and by Cedar. */

import { execFileSync } from "node:child_process";
import { compilePoliciesOrThrow, type Decision, decide, deciderFor, type PermissionRequest } from "../src/index.js";
import { type App, type Asked, questions } from "./apps/app.js";
import { gdrive } from "./apps/gdrive.js";
import { github } from "./apps/github.js";
import { tinytodo } from "./apps/tinytodo.js";
import { CEDAR, cedarOf, type Question } from "./peers/cedar.js";
import { install } from "./peers/packages.js";
import { type Candidate, sideBySide } from "./side-by-side.js";

/** The number of graphs of each size, and of questions about each graph. */
const WORLDS = 10;
const QUESTIONS = 140;
const ROUNDS = 15;

/** Each application runs in a process of its own, so that memory left by one does not affect the next. */
export async function benchCedar(): Promise<void> {
  install();
  const [program = ""] = process.argv.slice(1);
  switch (process.env.KEYWARD_BENCH_APP) {
    case gdrive.name:
      return await benchApp(gdrive);
    case github.name:
      return await benchApp(github);
    case tinytodo.name:
      return await benchApp(tinytodo);
    default:
      for (const { name } of [gdrive, github, tinytodo]) {
        const env = { ...process.env, KEYWARD_BENCH_APP: name };
        execFileSync(process.execPath, [...process.execArgv, program, "cedar"], { env, stdio: "inherit" });
      }
  }
}

async function benchApp<R extends PermissionRequest>(app: App<R>): Promise<void> {
  console.log(`\n## ${app.name}`);
  const all = questions(app, WORLDS, QUESTIONS);
  await sideBySide(app.byHand, [keyward(app), kept(app, all), ...(await cedar(app))], all, ROUNDS);
}

function keyward<R extends PermissionRequest>({ policies }: App<R>): Candidate<Asked<R>> {
  const set = compilePoliciesOrThrow(policies, { platform: "none" });
  return {
    name: "keyward, decide",
    share: 1,
    count: (asked) => {
      let allowed = 0;
      for (const { request } of asked) if (decide(set, request).outcome === "allow") allowed++;
      return allowed;
    },
  };
}

/** Users of different graphs have the same ids, so a decider is kept for each user together with its attributes. */
function kept<R extends PermissionRequest>({ policies }: App<R>, all: readonly Asked<R>[]): Candidate<Asked<R>> {
  const set = compilePoliciesOrThrow(policies, { platform: "none" });
  const deciderOf = (key: R["key"]) => deciderFor(set, { key });
  const ofUser = new Map<string, ReturnType<typeof deciderOf>>();
  const deciders = new Map<Asked<R>, () => Decision>();
  for (const asked of all) {
    const { key, operation, resource } = asked.request;
    const user = JSON.stringify(key);
    const decider = ofUser.get(user) ?? deciderOf(key);
    ofUser.set(user, decider);
    deciders.set(asked, () => decider.decide({ operation, resource }));
  }
  return {
    name: `keyward, deciders kept for ${ofUser.size} users`,
    share: 1,
    count: (some) => {
      let allowed = 0;
      for (const asked of some) if (deciders.get(asked)?.().outcome === "allow") allowed++;
      return allowed;
    },
  };
}

async function cedar<R extends PermissionRequest>(app: App<R>): Promise<readonly Candidate<Asked<R>>[]> {
  const ask = await cedarOf(app.cedar, app.name);
  const candidate = (what: string, entities: (asked: Asked<R>) => Question["entities"]): Candidate<Asked<R>> => ({
    name: `${CEDAR}, ${what}`,
    share: 20,
    count: (asked) => {
      let allowed = 0;
      for (const one of asked) {
        const { principal, resource, request } = one;
        if (ask({ principal, action: request.operation, resource, entities: entities(one) })) allowed++;
      }
      return allowed;
    },
  });
  return [candidate("the hierarchy", ({ entities }) => entities), candidate("its closure", ({ flat }) => flat)];
}
