/**
 * What TypeScript knows of a policy set: the type argument of `PolicySet`, which `keyward types` writes, and what requests
 * and decisions are by it. Nothing of it is there at run time.
 */

/** The names of a policy set; of one of which nothing is known, texts. */
export interface PolicyTypes {
  /** The set is permission-only: requests need no account. */
  readonly platform?: "none";
  /** The roles that keys can have. */
  readonly roles: string;
  /** By the kind of resource. */
  readonly kinds: { readonly [kind: string]: KindTypes };
  /** The words that can stand in reasons. */
  readonly reasons: { readonly permission: ReasonTypes; readonly platform: ReasonTypes };
}

export interface KindTypes {
  readonly operations: string;
  /** The attributes of resources of this kind. */
  readonly attr: Attributes;
  /** The attributes that keys have where one is asked about such a resource. */
  readonly key: Attributes;
  /** Those of its account. */
  readonly account: Attributes;
}

export interface ReasonTypes {
  readonly allow: string;
  readonly deny: string;
}

/**
 * Attributes of which nothing is declared: an object, also one whose type is an `interface` or a class. Lists, maps,
 * dates and functions are none.
 */
export interface Attributes {
  // biome-ignore lint/suspicious/noExplicitAny: of all indexes, that of `any` alone is satisfied by interfaces.
  readonly [name: string]: any;
  readonly [Symbol.iterator]?: never;
  readonly [Symbol.toPrimitive]?: never;
  readonly [Symbol.hasInstance]?: never;
}

export type KindOf<T extends PolicyTypes> = Extract<keyof T["kinds"], string>;

/** The operations on a kind; without one, all. */
export type OperationOf<T extends PolicyTypes, K extends KindOf<T> = KindOf<T>> = T["kinds"][K]["operations"];

/** A caller's key. */
export type KeyOf<T extends PolicyTypes, K extends KindOf<T> = KindOf<T>> = Subject & {
  readonly roles: readonly T["roles"][];
} & AttributesPart<T["kinds"][K]["key"]>;

/** A resource of a kind; without one, of any. */
export type ResourceOf<T extends PolicyTypes, K extends KindOf<T> = KindOf<T>> = {
  readonly [Each in K]: Subject & { readonly kind: Each } & AttributesPart<T["kinds"][Each]["attr"]>;
}[K];

/** The account that owns a resource. */
export type AccountOf<T extends PolicyTypes, K extends KindOf<T> = KindOf<T>> = Subject &
  AttributesPart<T["kinds"][K]["account"]>;

interface Subject {
  readonly id: string;
  /** The scope whose policies are asked. Default: the root. */
  readonly scope?: string | undefined;
}

/** Attributes can be left out if none is required. */
type AttributesPart<A> =
  Partial<A> extends A
    ? {
        readonly attr?: A | undefined;
        /** @deprecated The older name of `attr`. */
        readonly attributes?: A | undefined;
      }
    : { readonly attr: A };

/** The words that can stand in the reasons of a layer. */
export type ReasonOf<T extends PolicyTypes, Layer extends keyof PolicyTypes["reasons"]> =
  | T["reasons"][Layer]["allow"]
  | T["reasons"][Layer]["deny"];

declare const NAMES: unique symbol;

/**
 * Makes `T` a part of a type, where it would not be found again. Nothing has the field. As a method's parameter it is
 * compared both ways: what is by a set of which nothing is known, and what is by one that is, can be passed for each
 * other. By different names it cannot.
 */
export interface By<T extends PolicyTypes> {
  [NAMES]?(names: T): void;
}
