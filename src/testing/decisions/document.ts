/**
 * Types for decision suites that are written in TypeScript. As JSON, such a suite has the format of a suite file
 * (docs/testing.md explains the fields).
 */

import type { KindOf, OperationOf, PolicyTypes, ReasonOf, ResourceOf } from "../../decisions/policy-types.js";
import type { Outcome } from "../../decisions/types.js";
import type { FaultKind } from "../../engine/plan/verdict.js";

/** The keys, accounts and resources of a suite, by the names that its cases use. */
export interface TestFixtures<T extends PolicyTypes = PolicyTypes> {
  readonly keys?: {
    readonly [name: string]: FixtureDocument<T["kinds"][KindOf<T>]["key"], { readonly roles: readonly T["roles"][] }>;
  };
  readonly accounts?: { readonly [name: string]: FixtureDocument<T["kinds"][KindOf<T>]["account"], object> };
  readonly resources?: { readonly [name: string]: { [K in KindOf<T>]: ResourceFixture<T, K> }[KindOf<T>] };
}

type ResourceFixture<T extends PolicyTypes, K extends KindOf<T>> = FixtureDocument<
  T["kinds"][K]["attr"],
  Pick<ResourceOf<T, K>, "kind">
>;

/** A complete fixture, or the changes that it makes to another fixture. */
type FixtureDocument<Attr, Fields> = FixtureBase &
  (
    | ({ readonly extends?: never; readonly attr: Attr } & Fields)
    | ({ readonly extends: string; readonly attr?: PartialAttributes<Attr> } & Partial<Fields>)
  );

interface FixtureBase {
  /** Default: the fixture's name. */
  readonly id?: string;
  readonly scope?: string;
  /** Attributes to remove, by their paths: `limits.apis`. */
  readonly without?: readonly string[];
}

/** Changes to attributes: maps are changed member by member, other values are replaced. */
type PartialAttributes<A> = {
  readonly [Name in keyof A]?: A[Name] extends readonly unknown[]
    ? A[Name]
    : A[Name] extends object
      ? PartialAttributes<A[Name]>
      : A[Name];
};

/** A complete suite. */
export interface DecisionSuiteDocument<T extends PolicyTypes = PolicyTypes> extends TestFixtures<T> {
  readonly name: string;
  readonly description?: string;
  readonly skip?: boolean;
  readonly skipReason?: string;
  /** Files of fixtures, by their paths from the suite. */
  readonly fixtures?: readonly string[];
  readonly defaults?: {
    readonly key?: string;
    readonly operation?: OperationOf<T>;
    readonly resource?: string;
    readonly account?: string;
    readonly now?: string;
  };
  readonly cases: readonly CaseDocument<T>[];
}

/** A case of a suite. */
export interface CaseDocument<T extends PolicyTypes = PolicyTypes> {
  readonly name: string;
  readonly description?: string;
  readonly skip?: boolean;
  readonly skipReason?: string;
  readonly key?: string;
  readonly keys?: readonly string[];
  readonly operation?: OperationOf<T>;
  readonly operations?: readonly OperationOf<T>[];
  readonly resource?: string;
  readonly resources?: readonly string[];
  readonly account?: string;
  readonly accounts?: readonly string[];
  readonly with?: {
    readonly key?: PartialAttributes<T["kinds"][KindOf<T>]["key"]>;
    readonly resource?: { [K in KindOf<T>]: PartialAttributes<T["kinds"][K]["attr"]> }[KindOf<T>];
    readonly account?: PartialAttributes<T["kinds"][KindOf<T>]["account"]>;
  };
  readonly without?: {
    readonly key?: readonly string[];
    readonly resource?: readonly string[];
    readonly account?: readonly string[];
  };
  /** Whether the attributes may violate the schemas. Default: false. */
  readonly damaged?: boolean;
  readonly now?: string;
  readonly expect?: Outcome;
  readonly reasons?: readonly (ReasonOf<T, "permission"> | ReasonOf<T, "platform">)[];
  readonly reasonsInclude?: readonly (ReasonOf<T, "permission"> | ReasonOf<T, "platform">)[];
  readonly fault?: FaultKind;
  /** Outcomes by operation and key. */
  readonly table?: { readonly [O in OperationOf<T>]?: { readonly [key: string]: Outcome } };
}
