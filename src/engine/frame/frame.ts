/**
 * Frames: the parts of a request, with each value read once. The code that decides reads frames, and never a caller's
 * objects.
 *
 * The frames of a key, an account and a resource have types of their own: that keeps the layers apart
 * (`decisions/two-layers.ts`). They are plain objects, since V8 inlines a literal where it calls a constructor.
 */

import { keepShapeAlive } from "../../cel/keep-alive.js";
import type { JsonMap } from "../../cel/values.js";
import type { PrincipalInput, ResourceInput } from "../plan/subjects.js";
import { Copies, type ReadNames } from "./copies.js";

/**
 * The values of a layout's slots, `s0`, `s1` and so on, behind `k`, the steps that reading them cost. `undefined` is an
 * absent attribute. `k` is {@link UNUSUAL} where a value is unreadable, no JSON data or not of its declared type.
 */
export interface FrameSlots {
  readonly k: number;
  readonly [slot: string]: unknown;
}

/** The slot `k` of a frame with unusual values. In other frames the slot has the steps that reading cost. */
export const UNUSUAL = -1;

/** The attributes that closures read, and the slots of those that a frame has. */
export interface ClosureReads {
  /** Undefined: any. */
  readonly names: readonly string[] | undefined;
  readonly known: ReadNames;
}

const NOT_READ: FrameSlots = { k: UNUSUAL };

const NO_NAMES: ReadNames = new Map();

/** All attributes, with no slots. */
export const ALL_NAMES: ClosureReads = { names: undefined, known: NO_NAMES };

type Principal = "key" | "account";

/** Which of the sought texts a list has (`generate/answers.ts`). */
interface ListIndex {
  readonly has: boolean;
  readonly middles: readonly unknown[];
}

/** The principal of a layer: the key of the permission layer, or the account of the platform layer. */
export interface PrincipalFrame<P extends Principal = Principal> extends PrincipalInput {
  readonly part: P;
  readonly attr: JsonMap;
  /** Set by the reader of a plan. */
  values: FrameSlots;
  /** Indexes of lists, each made when it is first needed; null in a frame that is read for one request. */
  readonly indexes: (ListIndex | null | undefined)[] | null;
  /** See {@link copiedPrincipal}; null where the attributes cannot be read. */
  copy: (PrincipalInput & { readonly part: P }) | null | undefined;
}

/** The caller's key: the principal of the permission layer. */
export type KeyFrame = PrincipalFrame<"key">;

/** The account: the principal of the platform layer. */
export type AccountFrame = PrincipalFrame<"account">;

/** The resource, which both layers read. */
export interface ResourceFrame extends ResourceInput {
  readonly part: "resource";
  readonly attr: JsonMap;
  /** The slots of the permission layer, and of the platform layer. Set by the reader of their plans. */
  first: FrameSlots;
  second: FrameSlots;
  copy: (ResourceInput & { readonly part: "resource" }) | null | undefined;
}

/** A frame that nothing was read into. */
export function principalFrame<P extends Principal>(
  part: P,
  id: string,
  roles: readonly string[],
  attr: JsonMap,
  scope: string,
): PrincipalFrame<P> {
  return { part, id, roles, attr, scope, values: NOT_READ, indexes: null, copy: undefined };
}

/** A frame to keep, of the same principal. Its attributes are already a copy, which nobody changes. */
export function keptFrame<P extends Principal>({ part, id, roles, attr, scope }: PrincipalFrame<P>): PrincipalFrame<P> {
  const kept: PrincipalFrame<P> = { part, id, roles, attr, scope, values: NOT_READ, indexes: [], copy: undefined };
  kept.copy = kept;
  return kept;
}

/** A frame that nothing was read into. */
export function resourceFrame(kind: string, id: string, attr: JsonMap, scope: string): ResourceFrame {
  return { part: "resource", kind, id, attr, scope, first: NOT_READ, second: NOT_READ, copy: undefined };
}

const NO_ATTRIBUTES: JsonMap = Object.freeze({});

keepShapeAlive(principalFrame("key", "", [], NO_ATTRIBUTES, ""));
keepShapeAlive(resourceFrame("", "", NO_ATTRIBUTES, ""));

/** A copy for closures, with the values that were read already. Undefined: the attributes cannot be read. */
export function copiedPrincipal(frame: PrincipalFrame, reading: ClosureReads): PrincipalInput | undefined {
  if (frame.copy === undefined) {
    const { part, id, roles, scope, values } = frame;
    const attr = copyOf(frame.attr, reading, values === NOT_READ ? undefined : Object.values(values));
    frame.copy = attr === undefined ? null : { part, id, roles, attr, scope };
  }
  return frame.copy ?? undefined;
}

/** As {@link copiedPrincipal}; both layers read one copy. */
export function copiedResource(frame: ResourceFrame, reading: ClosureReads): ResourceInput | undefined {
  if (frame.copy === undefined) {
    const { part, kind, id, scope, first, second } = frame;
    const values = first === NOT_READ ? undefined : [...Object.values(first), ...Object.values(second)];
    const attr = copyOf(frame.attr, reading, values);
    frame.copy = attr === undefined ? null : { part, kind, id, attr, scope };
  }
  return frame.copy ?? undefined;
}

/** Whether the attributes of a frame can be copied. The frame keeps the copy. */
export function isReadable(frame: PrincipalFrame | ResourceFrame): boolean {
  const copy = frame.part === "resource" ? copiedResource(frame, ALL_NAMES) : copiedPrincipal(frame, ALL_NAMES);
  return copy !== undefined;
}

function copyOf(
  attr: JsonMap,
  { names, known }: ClosureReads,
  values: readonly unknown[] | undefined,
): JsonMap | undefined {
  if (names?.length === 0) return NO_ATTRIBUTES;
  try {
    return new Copies(values).attributes(attr, names, values === undefined ? NO_NAMES : known);
  } catch {
    return undefined;
  }
}
