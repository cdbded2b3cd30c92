/** The sixteen rules of `workload.ts` for each candidate. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMongoAbility, type MongoAbility, type RawRuleOf } from "@casl/ability";
import { compilePoliciesOrThrow, decide, deciderFor } from "../../src/index.js";
import { NO_SERVER, startServer } from "../../test/support/server.js";
import type { Candidate as AnyCandidate, Unit } from "../side-by-side.js";
import { CEDAR, cedarOf } from "./cedar.js";
import { installed, serverVersion, versionOf } from "./packages.js";
import { ACTIONS, type Asked, byHand, KINDS, POLICIES, type Subject } from "./workload.js";

type Candidate = AnyCandidate<Asked>;

export async function candidates(): Promise<readonly Candidate[]> {
  return [...keyward(), await cel(), casl(), await casbin(), await cedar(), ...(await server())];
}

export function hand(): Unit<Asked> {
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
  const numbered: ReturnType<typeof deciderOf>[] = [];
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
      name: "keyward, a decider for each key, kept in a Map",
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
    {
      name: "keyward, the same, kept with the key's record",
      share: 1,
      count: (requests) => {
        let allowed = 0;
        for (const { key, operation, resource, number } of requests) {
          let decider = numbered[number];
          if (decider === undefined) {
            decider = deciderOf(key);
            numbered[number] = decider;
          }
          if (decider.decide({ operation, resource }).outcome === "allow") allowed++;
        }
        return allowed;
      },
    },
  ];
}

/** The rules of each kind and action, as expressions that are parsed in advance. */
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

/** An ability is created once for each key and kept, as the guide of CASL recommends. */
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

async function cedar(): Promise<Candidate> {
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
  const ask = await cedarOf(policies.join("\n"), "rules");
  const isAllowed = ({ key, operation, resource }: Asked): boolean => {
    const principal = { type: "Key", id: key.id };
    const about = { type: resource.kind, id: resource.id };
    const entities = [
      { uid: principal, attrs: { ...key.attr, name: key.id, roles: key.roles }, parents: [] },
      { uid: about, attrs: resource.attr, parents: [] },
    ];
    return ask({ principal, action: operation, resource: about, entities });
  };
  return {
    name: `${CEDAR}, policies parsed before`,
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
