/**
 * The types of a policy set: the type argument of `PolicySet`, which `keyward types` writes, and the requests and
 * decisions that depend on it. Nothing of it exists at run time.
 */

/** The names of a policy set. If nothing is known of the set, they are texts. */
export interface PolicyTypes {
  /** The set is permission-only: requests need no account. */
  readonly platform?: "none";
  /** The roles that keys can have. */
  readonly roles: string;
  /** By the kind of resource. */
  readonly kinds: { readonly [kind: string]: KindTypes };
  /** The words that reasons can have. */
  readonly reasons: { readonly permission: ReasonTypes; readonly platform: ReasonTypes };
}

export interface KindTypes {
  readonly operations: string;
  /** The attributes of resources of this kind. */
  readonly attr: Attributes;
  /** The attributes that keys have in questions about such a resource. */
  readonly key: Attributes;
  /** The attributes of the resource's account. */
  readonly account: Attributes;
}

export interface ReasonTypes {
  readonly allow: string;
  readonly deny: string;
}

/**
 * Undeclared attributes: an object, also one with an `interface` or a class as its type. Lists, maps, dates and
 * functions are excluded.
 */
export interface Attributes {
  // biome-ignore lint/suspicious/noExplicitAny: of all indexes, that of `any` alone is satisfied by interfaces.
  readonly [name: string]: any;
  readonly [Symbol.iterator]?: never;
  readonly [Symbol.toPrimitive]?: never;
  readonly [Symbol.hasInstance]?: never;
}

export type KindOf<T extends PolicyTypes> = Extract<keyof T["kinds"], string>;

/** The operations on a kind; by default, on all kinds. */
export type OperationOf<T extends PolicyTypes, K extends KindOf<T> = KindOf<T>> = T["kinds"][K]["operations"];

/** A caller's key. */
export type KeyOf<T extends PolicyTypes, K extends KindOf<T> = KindOf<T>> = Subject & {
  readonly roles: readonly T["roles"][];
} & AttributesPart<T["kinds"][K]["key"]>;

/** A resource of a kind; by default, of any kind. */
export type ResourceOf<T extends PolicyTypes, K extends KindOf<T> = KindOf<T>> = {
  readonly [Each in K]: Subject & { readonly kind: Each } & AttributesPart<T["kinds"][Each]["attr"]>;
}[K];

/** The account that owns a resource. */
export type AccountOf<T extends PolicyTypes, K extends KindOf<T> = KindOf<T>> = Subject &
  AttributesPart<T["kinds"][K]["account"]>;

interface Subject {
  readonly id: string;
  /** The scope of the policies that are asked. Default: the root. */
  readonly scope?: string | undefined;
}

/** Attributes can be left out if no attribute is required. */
type AttributesPart<A> =
  Partial<A> extends A
    ? {
        readonly attr?: A | undefined;
        /** @deprecated The older name of `attr`. */
        readonly attributes?: A | undefined;
      }
    : { readonly attr: A };

/** The words that the reasons of a layer can have. */
export type ReasonOf<T extends PolicyTypes, Layer extends keyof PolicyTypes["reasons"]> =
  | T["reasons"][Layer]["allow"]
  | T["reasons"][Layer]["deny"];

declare const NAMES: unique symbol;

/**
 * Brands a type with `T`, which could not be inferred from it otherwise. No value has the field. The parameter of a
 * method is compared both ways: types of an unknown set and types of a known set can be passed for each other. Types of
 * sets with different names cannot.
 */
export interface By<T extends PolicyTypes> {
  [NAMES]?(names: T): void;
}
