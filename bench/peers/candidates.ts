/** The sixteen rules of `workload.ts` as each candidate has them. */

import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createMongoAbility, type MongoAbility, type RawRuleOf } from "@casl/ability";
import { compilePoliciesOrThrow, decide, deciderFor } from "../../src/index.js";
import { NO_SERVER, startServer } from "../../test/support/server.js";
import { ACTIONS, type Asked, byHand, KINDS, POLICIES, type Subject } from "./workload.js";

/** Something that decides. What it is given to decide on has been parsed from JSON, and nothing else. */
export interface Candidate {
  readonly name: string;
  /** Requests of a round: fewer of what takes long. */
  readonly share: number;
  /**
   * How many of some requests are allowed. Each candidate has a loop of its own: one for all would keep the compiler from
   * making what is fast a part of it.
   */
  readonly count: (requests: readonly Asked[]) => number | Promise<number>;
  readonly end?: () => Promise<void>;
}

/** Where the packages are that only this is compared with. `import.meta.url` is that of the bundle, `bench/.build/`. */
const HOME = new URL("../peers/", import.meta.url);
const require = createRequire(new URL("package.json", HOME));

async function installed(name: string): Promise<{ readonly [name: string]: unknown }> {
  return await import(pathToFileURL(require.resolve(name)).href);
}

/** The version of a package, wherever it was installed. */
function versionOf(name: string): string {
  for (const from of [require, createRequire(import.meta.url)]) {
    for (const at of from.resolve.paths(name) ?? []) {
      try {
        const { version } = JSON.parse(readFileSync(join(at, name, "package.json"), "utf8"));
        return String(version);
      } catch {
        // Not there: further up, perhaps.
      }
    }
  }
  return "?";
}

export async function candidates(): Promise<readonly Candidate[]> {
  return [hand(), ...keyward(), await cel(), casl(), await casbin(), await cedar(), ...(await server())];
}

function hand(): Candidate {
  return {
    name: "by hand",
    share: 1,
    count: (requests) => {
      let allowed = 0;
      for (const request of requests) if (byHand(request).allowed) allowed++;
      return allowed;
    },
  };
}

function keyward(): readonly Candidate[] {
  const policies = compilePoliciesOrThrow(POLICIES, { platform: "none" });
  const deciderOf = (key: Subject) => deciderFor(policies, { key });
  const deciders = new Map<string, ReturnType<typeof deciderOf>>();
  return [
    {
      name: "keyward, decide",
      share: 1,
      count: (requests) => {
        let allowed = 0;
        for (const request of requests) if (decide(policies, request).outcome === "allow") allowed++;
        return allowed;
      },
    },
    {
      name: "keyward, a decider kept for each key",
      share: 1,
      count: (requests) => {
        let allowed = 0;
        for (const { key, operation, resource } of requests) {
          let decider = deciders.get(key.id);
          if (decider === undefined) {
            decider = deciderOf(key);
            deciders.set(key.id, decider);
          }
          if (decider.decide({ operation, resource }).outcome === "allow") allowed++;
        }
        return allowed;
      },
    },
  ];
}

/** The rules of each kind and action as expressions that were parsed before. */
async function cel(): Promise<Candidate> {
  const name = "@marcbachmann/cel-js";
  const { parse } = await installed(name);
  if (typeof parse !== "function") throw new Error(`${name} has no parse`);
  type Rule = (context: object) => unknown;
  const rules = new Map<string, { readonly deny: readonly Rule[]; readonly allow: readonly Rule[] }>();
  const has = (roles: readonly string[]) => `P.roles.exists(r, r in ${JSON.stringify(roles)})`;
  for (const kind of KINDS) {
    const same = "R.attr.tenant == P.attr.tenant";
    const may = `(R.attr.owner == P.id || "${kind}.update" in P.attr.permissions)`;
    const locked = parse("R.attr.locked == true");
    const allow = {
      read: `${has(["member", "editor", "admin"])} && ${same}`,
      update: `${has(["editor", "admin"])} && ${same} && ${may}`,
      delete: `${has(["admin"])} && ${same} && R.attr.archived == true`,
    };
    for (const action of ACTIONS) {
      rules.set(`${kind}.${action}`, { deny: action === "read" ? [] : [locked], allow: [parse(allow[action])] });
    }
  }
  return {
    name: `${name} ${versionOf(name)}, parsed before`,
    share: 1,
    count: (requests) => {
      let allowed = 0;
      for (const { key, operation, resource } of requests) {
        const context = { P: key, R: resource };
        const found = rules.get(`${resource.kind}.${operation}`);
        if (found === undefined || found.deny.some((rule) => rule(context) === true)) continue;
        if (found.allow.some((rule) => rule(context) === true)) allowed++;
      }
      return allowed;
    },
  };
}

/** An ability is made for a key once and kept, as its guide says. */
function casl(): Candidate {
  const abilities = new Map<string, MongoAbility>();
  const made = ({ id, roles, attr }: Subject): MongoAbility => {
    const is = (...some: readonly Subject["roles"][number][]) => some.some((role) => roles.includes(role));
    const same = { "attr.tenant": attr.tenant };
    const rules = KINDS.flatMap((subject): RawRuleOf<MongoAbility>[] => [
      ...(is("member", "editor", "admin") ? [{ action: "read", subject, conditions: same }] : []),
      ...(is("editor", "admin") ? [{ action: "update", subject, conditions: { ...same, "attr.owner": id } }] : []),
      ...(is("editor", "admin") && attr.permissions.includes(`${subject}.update`)
        ? [{ action: "update", subject, conditions: same }]
        : []),
      ...(is("admin") ? [{ action: "delete", subject, conditions: { ...same, "attr.archived": true } }] : []),
      { action: ["update", "delete"], subject, conditions: { "attr.locked": true }, inverted: true },
    ]);
    return createMongoAbility(rules, { detectSubjectType: (one) => String(Reflect.get(one, "kind")) });
  };
  return {
    name: `CASL ${versionOf("@casl/ability")}, an ability kept for each key`,
    share: 1,
    count: (requests) => {
      let allowed = 0;
      for (const { key, operation, resource } of requests) {
        let ability = abilities.get(key.id);
        if (ability === undefined) {
          ability = made(key);
          abilities.set(key.id, ability);
        }
        if (ability.can(operation, resource)) allowed++;
      }
      return allowed;
    },
  };
}

const CASBIN_MODEL = `
[request_definition]
r = sub, obj, act
[policy_definition]
p = rule, kind, act, eft
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = r.obj.kind == p.kind && r.act == p.act && eval(p.rule)
`;

async function casbin(): Promise<Candidate> {
  const { newEnforcer, newModelFromString } = await installed("casbin");
  if (typeof newEnforcer !== "function" || typeof newModelFromString !== "function") throw new Error("no casbin");
  const enforcer = await newEnforcer(newModelFromString(CASBIN_MODEL));
  enforcer.addFunction("has", (list: readonly string[], one: string) => list.includes(one));
  const same = "r.obj.attr.tenant == r.sub.attr.tenant";
  const has = (...roles: readonly string[]) => `(${roles.map((role) => `has(r.sub.roles, '${role}')`).join(" || ")})`;
  for (const kind of KINDS) {
    const may = `(r.obj.attr.owner == r.sub.id || has(r.sub.attr.permissions, '${kind}.update'))`;
    await enforcer.addPolicy(`${has("member", "editor", "admin")} && ${same}`, kind, "read", "allow");
    await enforcer.addPolicy(`${has("editor", "admin")} && ${same} && ${may}`, kind, "update", "allow");
    await enforcer.addPolicy(`${has("admin")} && ${same} && r.obj.attr.archived == true`, kind, "delete", "allow");
    for (const action of ["update", "delete"]) {
      await enforcer.addPolicy("r.obj.attr.locked == true", kind, action, "deny");
    }
  }
  return {
    name: `casbin ${versionOf("casbin")}`,
    share: 20,
    count: (requests) => {
      const isAllowed = ({ key, operation, resource }: Asked) =>
        enforcer.enforceSync(key, resource, operation) === true;
      return requests.filter(isAllowed).length;
    },
  };
}

/** Policies are parsed before; entities travel as JSON with each question, for its interface has no other way. */
async function cedar(): Promise<Candidate> {
  const name = "@cedar-policy/cedar-wasm";
  const { preparsePolicySet, statefulIsAuthorized } = await installed(`${name}/nodejs`);
  if (typeof preparsePolicySet !== "function" || typeof statefulIsAuthorized !== "function")
    throw new Error(`no ${name}`);
  const policies = KINDS.map((kind) => {
    const on = (action: string) => `(principal, action == Action::"${action}", resource is ${kind})`;
    const same = "resource.tenant == principal.tenant";
    const may = `(resource.owner == principal.name || principal.permissions.contains("${kind}.update"))`;
    const editor = '(principal.roles.contains("editor") || principal.roles.contains("admin"))';
    return `
permit ${on("read")} when { (principal.roles.contains("member") || ${editor}) && ${same} };
permit ${on("update")} when { ${editor} && ${same} && ${may} };
permit ${on("delete")} when { principal.roles.contains("admin") && ${same} && resource.archived };
forbid (principal, action in [Action::"update", Action::"delete"], resource is ${kind}) when { resource.locked };`;
  });
  const parsed = preparsePolicySet("rules", { staticPolicies: policies.join("\n") });
  if (parsed.type !== "success") throw new Error(JSON.stringify(parsed));
  const isAllowed = ({ key, operation, resource }: Asked): boolean => {
    const principal = { type: "Key", id: key.id };
    const about = { type: resource.kind, id: resource.id };
    const answer = statefulIsAuthorized({
      principal,
      action: { type: "Action", id: operation },
      resource: about,
      context: {},
      preparsedPolicySetId: "rules",
      entities: [
        { uid: principal, attrs: { ...key.attr, name: key.id, roles: key.roles }, parents: [] },
        { uid: about, attrs: resource.attr, parents: [] },
      ],
    });
    if (answer.type !== "success") throw new Error(JSON.stringify(answer));
    return answer.response.decision === "allow";
  };
  return {
    name: `Cedar ${versionOf(name)} (WebAssembly), policies parsed before`,
    share: 20,
    count: (requests) => requests.filter(isAllowed).length,
  };
}

/** The server, asked over a socket for one decision at a time. */
async function server(): Promise<readonly Candidate[]> {
  if (NO_SERVER !== undefined) {
    console.log(`left out: ${NO_SERVER}`);
    return [];
  }
  const directory = await mkdtemp(join(tmpdir(), "keyward-peers-"));
  for (const { path, text } of POLICIES) await writeFile(join(directory, path), text);
  const started = await startServer(directory);
  return [
    {
      name: `Cerbos server ${serverVersion()}, over HTTP on a socket`,
      share: 100,
      count: async (requests) => {
        let allowed = 0;
        for (const { key, operation, resource } of requests) {
          const asked = { principal: key, resources: [{ actions: [operation], resource }] };
          const { status, text } = await started.check(asked);
          if (status !== 200) throw new Error(text);
          if (JSON.parse(text).results[0].actions[operation] === "EFFECT_ALLOW") allowed++;
        }
        return allowed;
      },
      end: async () => {
        await started.stop();
        await rm(directory, { recursive: true, force: true });
      },
    },
  ];
}

function serverVersion(): string {
  return versionOf(`@cerbos/cerbos-${process.platform}-${process.arch}`);
}
