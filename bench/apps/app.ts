/**
 * An application on which Cedar's authors measured engines: A. Cutler and others, "Cedar: A New Language for
 * Expressive, Fast, Safe, and Analyzable Authorization" (OOPSLA 2024). Its entities are in nested groups. The meaning
 * of the policies is from the paper; the words, the graphs and the requests are not.
 *
 * A Cerbos policy reads attributes and follows no hierarchy, so the application passes everything above an entity as a
 * list.
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
  /** The hierarchy that Cedar traverses. */
  readonly entities: readonly Entity[];
  /** The same entities with the hierarchy flattened in advance, as all other engines get it. */
  readonly flat: readonly Entity[];
}

export interface App<R extends PermissionRequest = PermissionRequest> {
  readonly name: string;
  /** The policies for keyward and the Cerbos server. */
  readonly policies: readonly PolicyFile[];
  /** The policies for Cedar. */
  readonly cedar: string;
  /** The policies as handwritten code in a service: the unit. */
  readonly byHand: Unit<Asked<R>>;
  /** Makes a random graph with `size` entities of each type. Returns a source of questions about it. */
  readonly world: (draw: Draw, size: number) => () => Question<R>;
}

/** Each application runs in a process of its own, so this loop serves one application only (see `side-by-side.ts`). */
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

/** A request, its subject matter, and the entities that Cedar needs in addition to the principal and the resource. */
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

  /** Some of `count` items, each with the probability that the paper uses for all relations. */
  some<T>(count: number, of: (i: number) => T): T[] {
    return Array.from({ length: count }, (_, i) => i)
      .filter(() => this.chance(0.05))
      .map(of);
  }
}

/** The sizes in the paper's figures: the number of entities of each type. */
const SIZES = [5, 10, 15, 20, 30, 40, 50];
/** The maximum number of questions to discard while searching for one with the wanted answer. */
const TRIES = 40;

/** `perWorld` questions about each of `worlds` graphs of each size, shuffled. About half are allowed. */
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
  // Requests are parsed from JSON, as in a service; Cedar's interface converts entities to JSON.
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

/** A policy rule that allows users these actions if at least one of the conditions holds. */
export function allow(actions: readonly string[], ...anyOf: readonly string[]): JsonValue {
  const match = { any: { of: anyOf.map((expr) => ({ expr })) } };
  return { actions, roles: ["user"], effect: "EFFECT_ALLOW", ...(anyOf.length === 0 ? {} : { condition: { match } }) };
}

export function policyFile(resource: string, rules: readonly JsonValue[]): PolicyFile {
  const policy = { apiVersion: "api.cerbos.dev/v1", resourcePolicy: { resource, version: "default", rules } };
  return { path: `${resource}.json`, text: JSON.stringify(policy) };
}
