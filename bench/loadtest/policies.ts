/**
 * Policies like the load test of Cerbos's authors (`hack/loadtest` of their repository, the policies they call
 * classic), in other words. A unit has nine policies; units differ only in a number in their names. The policies of a
 * unit cover absences, in a version without scopes, and in one with policies for a company, a part of it and a place;
 * records; two files of derived roles, with variables, a range of addresses and claims of a token; and a principal
 * policy for somebody who makes no request.
 */

import type { JsonValue, PolicyFile } from "../../src/index.js";

/** The version of the absences without scopes. */
export const OLD = "20200101";
export const SCOPES = ["corp", "corp.staff", "corp.staff.north"] as const;

/** A name within a unit. */
export function named(name: string, unit: number): string {
  return `${name}_${String(unit).padStart(5, "0")}`;
}

interface Rule {
  readonly actions: readonly string[];
  readonly name?: string;
  readonly roles?: readonly string[];
  readonly derivedRoles?: readonly string[];
  readonly expr?: string | readonly string[];
}

function allow({ expr, ...rest }: Rule): JsonValue {
  const match = typeof expr === "string" ? { expr } : { all: { of: expr?.map((one) => ({ expr: one })) ?? [] } };
  return { ...rest, effect: "EFFECT_ALLOW", ...(expr === undefined ? {} : { condition: { match } }) };
}

const ADMIN = allow({ name: "everything", actions: ["*"], roles: ["admin"] });
const CREATE = allow({ actions: ["create"], derivedRoles: ["owner"] });
const SEE = allow({ name: "seen-by-all", actions: ["view:public"], derivedRoles: ["colleague"] });
const SEE_ALL = allow({ actions: ["view:*"], derivedRoles: ["owner", "line_manager"] });
const APPROVE = allow({ actions: ["approve"], derivedRoles: ["line_manager"], expr: "R.attr.state == V.awaited" });
const AT_HOME = "R.attr.region == variables.place";
const DELETE = allow({ actions: ["delete"], derivedRoles: ["line_manager"], expr: AT_HOME });
const POSTPONE = allow({
  actions: ["postpone"],
  roles: ["employee"],
  expr: ['"absences" in request.aux_data.jwt.aud', '"may_postpone" in request.aux_data.jwt.grants'],
});
const OWNER_MAY: readonly JsonValue[] = [
  allow({ actions: ["delete"], derivedRoles: ["line_manager", "owner"], expr: AT_HOME }),
  allow({ actions: ["postpone"], derivedRoles: ["line_manager", "owner"] }),
];

const VARIABLES = {
  local: { awaited: '"AWAITED"', place: 'P.attr.address.inIPAddrRange("10.1.0.0/16") ? "north" : ""' },
};

/** The nine policies of a unit. */
export function unitOf(unit: number): readonly PolicyFile[] {
  const name = (base: string): string => named(base, unit);
  const file = (base: string, body: JsonValue): PolicyFile => ({
    path: `${name(base)}.json`,
    text: JSON.stringify(Object.assign({ apiVersion: "api.cerbos.dev/v1" }, body)),
  });
  const importDerivedRoles = [name("own"), name("staff")];
  const absence = (version: string, scope: string | undefined, rules: readonly JsonValue[], variables?: JsonValue) =>
    file(`absence_${version}${scope === undefined ? "" : `.${scope}`}`, {
      resourcePolicy: {
        resource: name("absence"),
        version,
        ...(scope === undefined ? {} : { scope }),
        importDerivedRoles,
        ...(variables === undefined ? {} : { variables }),
        rules,
      },
    });
  const [company, part, place] = SCOPES;
  return [
    file("own", {
      derivedRoles: {
        name: name("own"),
        definitions: [
          { name: "administrator", parentRoles: ["admin"] },
          { name: "tester", parentRoles: ["developer", "tester"] },
          { name: "owner", parentRoles: ["employee"], condition: { match: { expr: "R.attr.owner == P.id" } } },
        ],
      },
    }),
    file("staff", {
      derivedRoles: {
        name: name("staff"),
        variables: { local: { same_region: "R.attr.region == P.attr.region" } },
        definitions: [
          { name: "colleague", parentRoles: ["employee"] },
          {
            name: "line_manager",
            parentRoles: ["manager"],
            condition: {
              match: { all: { of: [{ expr: "V.same_region" }, { expr: "R.attr.region == P.attr.manages" }] } },
            },
          },
        ],
      },
    }),
    file("somebody", {
      principalPolicy: {
        principal: name("somebody"),
        version: OLD,
        variables: { local: { is_trial: "R.attr.trial == true" } },
        rules: [
          {
            resource: "absence",
            actions: [
              { name: "trial", action: "*", effect: "EFFECT_ALLOW", condition: { match: { expr: "V.is_trial" } } },
            ],
          },
          { resource: "salary", actions: [{ action: "*", effect: "EFFECT_DENY" }] },
        ],
      },
    }),
    file("record", {
      resourcePolicy: { resource: name("record"), version: "default", importDerivedRoles, rules: [ADMIN] },
    }),
    absence(OLD, undefined, [ADMIN, CREATE, SEE_ALL, SEE, APPROVE, DELETE, POSTPONE], VARIABLES),
    absence("default", undefined, [ADMIN]),
    absence("default", company, [CREATE, SEE]),
    absence("default", part, [SEE_ALL, DELETE, APPROVE, POSTPONE], VARIABLES),
    absence("default", place, OWNER_MAY, VARIABLES),
  ];
}
