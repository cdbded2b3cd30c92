/** Unit tests of small parts. */

import { hash } from "node:crypto";
import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { newPrefix, newSecret, prefixOf } from "../src/auth/secret.js";
import { ConfigInvalid, readConfig } from "../src/config/config.js";
import { RateLimit } from "../src/http/rate-limit.js";
import { refusalOf } from "../src/http/refused.js";
import { failureOf } from "../src/http/respond.js";
import { createLogger } from "../src/observability/logger.js";
import { describe as described } from "../src/store/faults.js";

describe("a decision that is not allow", () => {
  const envelope = { requestId: "req_1", docsUrl: "docs.example.com" };
  const verdict = {
    effect: "deny",
    policy: "NO_MATCH",
    scope: "",
    reasons: [],
    errors: [],
    outputs: [],
    derivedRoles: [],
  } as const;
  const decision = { outcome: "forbidden", permission: verdict, platform: verdict } as const;

  test("is the refusal of its outcome", () => {
    const { reply, outcome, fault } = failureOf(refusalOf(decision), envelope);
    expect([reply.status, outcome, fault]).toEqual([403, "forbidden", false]);
  });

  test("is a fault of this service if the question was; the log has none of its values", () => {
    const fault = { kind: "evaluation", path: "api.yaml:1:2", message: "hunter2" } as const;
    const error = refusalOf({ ...decision, fault });
    const failure = failureOf(error, envelope);
    expect([failure.reply.status, failure.outcome, failure.fault]).toEqual([500, "internal_error", true]);
    expect(error.message).toBe("a decision on a question that is at fault: evaluation api.yaml:1:2");
  });
});

describe("configuration", () => {
  test("limits requests by default, and trusts no proxy", () => {
    const { RATE_LIMIT, RATE_LIMIT_ACCOUNT, RATE_LIMIT_ADDRESS, ...config } = readConfig({ DATA_DIR: "data" });
    for (const limit of [RATE_LIMIT, RATE_LIMIT_ACCOUNT, RATE_LIMIT_ADDRESS]) expect(limit).toBeGreaterThan(0);
    expect(config).toMatchObject({ ACCOUNT_CONCURRENCY: 4, TRUSTED_PROXIES: [] });
    const { TRUSTED_PROXIES } = readConfig({ DATA_DIR: "data", TRUSTED_PROXIES: "10.0.0.0/8, ::1" });
    expect(TRUSTED_PROXIES).toEqual(["10.0.0.0/8", "::1"]);
  });

  test("by default", () => {
    const config = { PORT: 8080, HOST: "127.0.0.1", DECISION_LOG: "stdout", DEMO: false };
    expect(readConfig({ DATA_DIR: "data" })).toMatchObject(config);
    expect(readConfig({ DATABASE_URL: "postgres://h/d" })).toMatchObject(config);
  });

  test.each([
    [{ DEMO: "1" }],
    [{ DEMO: "1", DATABASE_URL: "postgres://h/d" }],
    [{ DEMO: "true", HOST: "localhost", NODE_ENV: "development" }],
    [{ DEMO: "1", HOST: "127.0.0.2" }],
    [{ DEMO: "1", HOST: "::1", NODE_ENV: "" }],
  ])("a demonstration: %j", (environment) => {
    expect(readConfig(environment)).toMatchObject({ DEMO: true });
  });

  test("every wrong value is told", () => {
    const wrong = { PORT: "-1", BODY_LIMIT: "1e3", LOG_LEVEL: "loud", DEMO: "perhaps" };
    expect(() => readConfig(wrong)).toThrow(ConfigInvalid);
    expect(() => readConfig(wrong)).toThrow(/PORT.*\nLOG_LEVEL.*\nBODY_LIMIT.*\nDEMO/s);
  });

  test("variables of others are passed over, also those that resemble a short name", () => {
    const others = { HOME: "/", HOSTNAME: "h", HOSTTYPE: "t", LOGNAME: "l", XDG_DATA_DIRS: "/", NODE: "n", TERM: "" };
    expect(readConfig({ ...others, DATABASE_PASSWORD: "p", CERBOS_PDP_SERVICE_HOST: "h", DATA_DIR: "data" })).toEqual(
      readConfig({ DATA_DIR: "data" }),
    );
  });
});

const NAMES = Object.keys(readConfig({ DEMO: "1" })).concat(
  "DATABASE_URL",
  "DATA_DIR",
  "CANDIDATE_POLICIES",
  "CERBOS_PDP",
  "RATE_LIMIT_BURST",
  "DECISION_LOG_MASK",
  "DECISION_LOG_SALT",
);

describe("a variable that would be passed over", () => {
  test.each(NAMES)("%s, empty", (name) => {
    for (const empty of ["", " "]) {
      const message = `${name} must not be empty: set a value, or leave the variable out`;
      expect(faults({ ...COMPLETE, [name]: empty })).toContain(message);
    }
  });

  test.each(NAMES)("%s, misspelt", (name) => {
    const short = [
      name.slice(1),
      name.slice(0, -1),
      `${name}S`,
      `${name.slice(0, 2)}X${name.slice(2)}`,
      `${name.slice(0, 2)}${name[3]}${name[2]}${name.slice(4)}`,
      `KEYWARD_${name}`,
      name.toLowerCase(),
    ];
    const long = [`${name.slice(0, 2)}XY${name.slice(2)}`, name.slice(1, -1), name.replace(/(?<=^..)../, "QZ")];
    for (const misspelt of name.length < 8 ? short : [...short, ...long]) {
      const message = `${misspelt} is unknown: did you mean ${name}?`;
      expect([misspelt, ...faults({ DEMO: "1", [misspelt]: "1" })]).toEqual([misspelt, message]);
    }
  });

  test("any other that begins as the service's", () => {
    expect(faults({ DEMO: "1", KEYWARD_QUOTA: "1" })).toEqual(["KEYWARD_QUOTA is unknown"]);
  });

  test.each([
    ["RATE_LIMIT_BURST", "RATE_LIMIT", "5", "0"],
    ["CANDIDATE_SAMPLE", "CANDIDATE_POLICIES", "0.5", "candidate"],
    ["CERBOS_PDP_TLS", "CERBOS_PDP", "1", "h:1"],
    ["CERBOS_PDP_TIMEOUT_MS", "CERBOS_PDP", "5", "h:1"],
  ])("%s without %s", (name, other, value, given) => {
    expect(faults({ DEMO: "1", [name]: value })).toEqual([`${name} must be set together with ${other}`]);
    expect(faults({ DEMO: "1", [name]: value, [other]: given })).toEqual([]);
  });
});

describe("masks of the decision log", () => {
  const given = { DEMO: "1", DECISION_LOG_READS: "1", DECISION_LOG_SALT: "sixteen characters" };

  test("are attributes of the service, with a salt", () => {
    const mask = " key.attr.permissions, resource.attr.state ";
    expect(readConfig({ ...given, DECISION_LOG_MASK: mask })).toMatchObject({
      DECISION_LOG_MASK: ["key.attr.permissions", "resource.attr.state"],
    });
  });

  test.each([
    ["an unknown attribute", { DECISION_LOG_MASK: "key.attr.permission" }, /^DECISION_LOG_MASK\.0 must be attributes/],
    [
      "a short salt",
      { DECISION_LOG_MASK: "key.attr.permissions", DECISION_LOG_SALT: "short" },
      /^DECISION_LOG_SALT must/,
    ],
    ["no attributes in records", { DECISION_LOG_MASK: "key.attr.permissions", DECISION_LOG_READS: "0" }, /_READS=1$/],
  ])("%s is refused, without its value", (_, wrong, message) => {
    const [fault = "", ...more] = faults({ ...given, ...wrong });
    expect([fault, more]).toEqual([expect.stringMatching(message), []]);
    expect(fault).not.toMatch(/permission$|short|sixteen/);
  });

  test("need a salt", () => {
    const { DECISION_LOG_SALT: _, ...others } = given;
    expect(faults({ ...others, DECISION_LOG_MASK: "key.attr.permissions" })).toEqual([
      "DECISION_LOG_SALT must be set together with DECISION_LOG_MASK",
    ]);
  });
});

/** Sets the variables that others depend on. */
const COMPLETE = {
  ...{ RATE_LIMIT: "1", CERBOS_PDP: "h:1", CANDIDATE_POLICIES: "candidate" },
  ...{ DECISION_LOG_READS: "1", DECISION_LOG_MASK: "key.attr.permissions" },
};

/** The lines of the error that refuses an environment. */
function faults(environment: { readonly [name: string]: string }): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error;
    return error.message.split("\n");
  }
}

describe("configuration that is not valid", () => {
  const shown = "a demonstration shows secrets";
  test.each<[{ readonly [name: string]: string }, string]>([
    [{}, "DATABASE_URL or DATA_DIR must be set; or DEMO=1, for a demonstration in memory"],
    [{ DEMO: "0" }, "DATABASE_URL or DATA_DIR must be set; or DEMO=1, for a demonstration in memory"],
    [{ DEMO: "1", NODE_ENV: "production" }, `DEMO must not be set where NODE_ENV is production: ${shown}`],
    [{ DEMO: "1", HOST: "0.0.0.0" }, `DEMO must not be set with a HOST that others reach, such as 0.0.0.0: ${shown}`],
    [{ DEMO: "1", HOST: "::" }, `DEMO must not be set with a HOST that others reach, such as 0.0.0.0: ${shown}`],
    [{ PORT: "http" }, "PORT must be a whole number, 0 to 65535"],
    [{ PORT: "65536" }, "PORT must be at most 65535"],
    [{ DATABASE_URL: "mysql://u:hunter2@h/d" }, "DATABASE_URL must be a postgres:// address"],
    [
      { DATABASE_URL: "postgres://u:hunter2@h/d", DATA_DIR: "x" },
      "DATA_DIR must not be set together with DATABASE_URL",
    ],
    [{ DOCS_URL: "https://x" }, "DOCS_URL must be a host, and path if any, without a scheme or final /"],
    [{ RATE_LIMIT: "1", RATE_LIMIT_BURST: "0" }, "RATE_LIMIT_BURST must be at least 1"],
    [
      { TRUSTED_PROXIES: "proxy.internal" },
      "TRUSTED_PROXIES.0 must be addresses or networks with commas between them, such as 10.0.0.0/8",
    ],
  ])("%j", (environment, message) => {
    expect(faults(environment)).toEqual([message]);
  });
});

describe("rate limit", () => {
  test("a burst, then the rate, for each key by itself", () => {
    let now = 0;
    const limit = new RateLimit({ perSecond: 2, burst: 3 }, () => now);
    const take = (key: string) => limit.take(key);
    expect([take("a"), take("a"), take("a"), take("a")]).toEqual([undefined, undefined, undefined, 1]);
    expect(take("b")).toBe(undefined);
    now += 500;
    expect([take("a"), take("a")]).toEqual([undefined, 1]);
    now += 3_600_000;
    expect([take("a"), take("a"), take("a"), take("a")]).toEqual([undefined, undefined, undefined, 1]);
  });

  test("0 is no limit; a slow rate says how long to wait", () => {
    const none = new RateLimit({ perSecond: 0, burst: 1 });
    for (let i = 0; i < 1_000; i++) expect(none.take("a")).toBe(undefined);
    const slow = new RateLimit({ perSecond: 0.1, burst: 1 }, () => 0);
    expect([slow.take("a"), slow.take("a")]).toEqual([undefined, 10]);
  });

  test("of names as many are kept as may be: the one that took least recently is forgotten", () => {
    const limit = new RateLimit({ perSecond: 1, burst: 1 }, () => 0, 2);
    const taken = ["a", "b", "a", "c", "a", "b"].map((name) => limit.take(name));
    expect(taken).toEqual([undefined, undefined, 1, undefined, undefined, undefined]);
  });
});

describe("logs", () => {
  const secret = `kw_0123456789abcdef_${"A".repeat(43)}`;

  function logged(write: (logger: ReturnType<typeof createLogger>) => void): string {
    let text = "";
    const sink = new Writable({
      write: (chunk, _, done) => {
        text += chunk;
        done();
      },
    });
    write(createLogger("info", sink));
    return text;
  }

  test("secrets do not get through, whichever way they come", () => {
    const text = logged((logger) => {
      logger.info(`the key ${secret} was used on postgres://user:hunter2@host/db`);
      logger.info({ authorization: `Bearer ${secret}`, headers: { authorization: secret } }, "request");
      logger.info({ body: { data: { key: secret } } }, "response");
      logger.error({ err: new Error(`bad key ${secret}`) }, "failed");
    });
    expect(text).toContain("the key kw_[redacted] was used on postgres://user:[redacted]@host/db");
    expect(text).not.toContain(secret);
    expect(text).not.toContain("hunter2");
  });

  test("an error of the database is told without its values", () => {
    const root = Object.assign(new Error('invalid input: "hunter2"'), { severity: "ERROR", code: "22P02" });
    expect(JSON.stringify(described(root))).not.toContain("hunter2");
    expect(described(root)).toMatchObject({ code: "22P02" });
  });
});

test("the prefix of a new secret tells the bucket of its account, and nothing else twice", () => {
  const prefixes = Array.from({ length: 50 }, () => newPrefix("acc_1"));
  for (const prefix of prefixes) expect(prefix).toMatch(/^[0-9a-f]{16}$/);
  expect(new Set(prefixes.map((prefix) => prefix.slice(0, 3)))).toEqual(new Set([hash("sha256", "acc_1").slice(0, 3)]));
  expect(new Set(prefixes).size).toBe(50);
  const buckets = new Set(Array.from({ length: 50 }, (_, i) => newPrefix(`acc_${i}`).slice(0, 3)));
  expect(buckets.size).toBeGreaterThan(40);
  const { secret, prefix } = newSecret(newPrefix("acc_1"));
  expect(prefixOf(secret)).toBe(prefix);
});
