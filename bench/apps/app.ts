/**
 * An application of which Cedar's authors measured the engines: A. Cutler and others, "Cedar: A New Language for Expressive,
 * Fast, Safe, and Analyzable Authorization" (OOPSLA 2024), in which entities are in groups that are in groups. What its
 * policies mean is theirs; the words, the graphs and the requests are not.
 *
 * A Cerbos policy reads attributes and follows no hierarchy: its application hands it what is above an entity, as a list.
 */

import type { JsonValue, PermissionRequest, PolicyFile } from "../../src/index.js";
import type { Entity, Uid } from "../peers/cedar.js";
import { random } from "../requests.js";
import type { Unit } from "../side-by-side.js";
import type { Graph } from "./graph.js";

/** One question in the form of each engine. */
export interface Asked<R extends PermissionRequest = PermissionRequest> {
  readonly request: R;
  readonly principal: Uid;
  readonly resource: Uid;
  /** What Cedar finds its way up in. */
  readonly entities: readonly Entity[];
  /** The same where the way has been gone before, as it has for everyone else. */
  readonly flat: readonly Entity[];
}

export interface App<R extends PermissionRequest = PermissionRequest> {
  readonly name: string;
  /** For keyward and the Cerbos server. */
  readonly policies: readonly PolicyFile[];
  /** For Cedar. */
  readonly cedar: string;
  /** The same as one would write it in a service: the unit. */
  readonly byHand: Unit<Asked<R>>;
  /** Makes up who is in what, `size` of each type, and gives a source of questions about them. */
  readonly world: (draw: Draw, size: number) => () => Question<R>;
}

/** Each application has a process of its own, so that this is a loop of its own, too (`side-by-side.ts`). */
export function unitOf<R extends PermissionRequest>(isAllowed: (request: R) => boolean): Unit<Asked<R>> {
  return {
    name: "by hand",
    share: 1,
    count: (asked) => {
      let allowed = 0;
      for (const { request } of asked) if (isAllowed(request)) allowed++;
      return allowed;
    },
  };
}

/** A request, what it is about, and what entities Cedar has to know of beside the principal and the resource. */
export interface Question<R extends PermissionRequest = PermissionRequest> {
  readonly request: R;
  readonly graph: Graph;
  readonly principal: Uid;
  readonly resource: Uid;
  readonly read?: readonly Uid[];
}

/** Random choices, the same for the same seed. */
export class Draw {
  private readonly next: () => number;

  constructor(seed: number) {
    this.next = random(seed);
  }

  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  chance(p: number): boolean {
    return this.next() < p;
  }

  one<T>(items: readonly [T, ...T[]]): T {
    return items[this.below(items.length)] ?? items[0];
  }

  /** Some of `count` things, each with the likelihood that the paper has for all relations. */
  some<T>(count: number, of: (i: number) => T): T[] {
    return Array.from({ length: count }, (_, i) => i)
      .filter(() => this.chance(0.05))
      .map(of);
  }
}

/** The sizes of the paper's figures: so many entities of each type. */
const SIZES = [5, 10, 15, 20, 30, 40, 50];
/** Questions that are thrown away, at the most, for one with the answer that it is the turn of. */
const TRIES = 40;

/** `perWorld` questions about each of `worlds` graphs a size, in no order; about half are allowed. */
export function questions<R extends PermissionRequest>(
  { byHand, world }: App<R>,
  worlds: number,
  perWorld: number,
  seed = 1,
): readonly Asked<R>[] {
  const draw = new Draw(seed);
  const all = SIZES.flatMap((size) =>
    Array.from({ length: worlds }, () => world(draw, size)).flatMap((ask) =>
      Array.from({ length: perWorld }, (_, i) => {
        let asked = inAllForms(ask());
        for (let n = 0; n < TRIES && byHand.count([asked]) !== i % 2; n++) asked = inAllForms(ask());
        return asked;
      }),
    ),
  );
  for (let i = all.length - 1; i > 0; i--) {
    const j = draw.below(i + 1);
    const [one, other] = [all[i], all[j]];
    if (one !== undefined && other !== undefined) [all[i], all[j]] = [other, one];
  }
  // Requests come parsed, as a service has them; entities are made into JSON by Cedar's interface.
  const requests: readonly R[] = JSON.parse(JSON.stringify(all.map(({ request }) => request)));
  return all.map((asked, i) => ({ ...asked, request: requests[i] ?? asked.request }));
}

function inAllForms<R extends PermissionRequest>({
  request,
  graph,
  principal,
  resource,
  read = [],
}: Question<R>): Asked<R> {
  const about = [principal, resource, ...read];
  return { request, principal, resource, entities: graph.slice(...about), flat: graph.flat(...about) };
}

/** A rule of a policy: for users, if one of some conditions holds. */
export function allow(actions: readonly string[], ...anyOf: readonly string[]): JsonValue {
  const match = { any: { of: anyOf.map((expr) => ({ expr })) } };
  return { actions, roles: ["user"], effect: "EFFECT_ALLOW", ...(anyOf.length === 0 ? {} : { condition: { match } }) };
}

export function policyFile(resource: string, rules: readonly JsonValue[]): PolicyFile {
  const policy = { apiVersion: "api.cerbos.dev/v1", resourcePolicy: { resource, version: "default", rules } };
  return { path: `${resource}.json`, text: JSON.stringify(policy) };
}
