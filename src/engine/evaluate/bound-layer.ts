/** One layer for one principal: what depends on the principal alone is evaluated once for each plan. */

import type { Timestamp } from "../../cel/values.js";
import type { BoundFunction } from "../generate/written.js";
import type { PrincipalInput, ResourceInput } from "../plan/subjects.js";
import type { LayerVerdict } from "../plan/verdict.js";
import type { Cell } from "./cell.js";
import type { Layer } from "./layer.js";

/** Kinds and actions of one principal that are remembered. */
const MAX_CELLS = 256;

/** How often a cell is asked before it is asked for its function again, if it has none. */
const PATIENCE = 64;

export class BoundLayer {
  readonly layer: Layer;
  readonly principal: PrincipalInput;
  /** By action: of each the cell that was made last, from which the others follow. Few actions are of several kinds. */
  private readonly cells = new Map<string, BoundCell>();
  private count = 0;
  private latest: BoundCell | undefined = undefined;

  /** The principal is no one's but ours: nobody changes it. */
  constructor(layer: Layer, principal: PrincipalInput) {
    this.layer = layer;
    this.principal = principal;
  }

  /** As {@link Layer.verdict}. */
  verdict(resource: ResourceInput, action: string, now: Timestamp | undefined): LayerVerdict {
    const { layer, principal } = this;
    if (resource.scope !== "") return layer.verdict(principal, resource, action, now);
    const cell = this.cell(resource, action);
    if (cell === undefined) return layer.verdict(principal, resource, action, now);
    const verdict = cell.verdict(resource, now);
    return layer.enforcesSchemas ? layer.enforced(verdict, principal, resource, action) : verdict;
  }

  private cell(resource: ResourceInput, action: string): BoundCell | undefined {
    const { latest } = this;
    const { kind } = resource;
    if (latest !== undefined && latest.action === action && latest.kind === kind) return latest;
    let found = this.cells.get(action);
    while (found !== undefined && found.kind !== kind) found = found.next;
    found ??= this.made(resource, action);
    if (found !== undefined) this.latest = found;
    return found;
  }

  private made(resource: ResourceInput, action: string): BoundCell | undefined {
    if (this.count >= MAX_CELLS) return undefined;
    const cell = this.layer.cell(this.principal, resource, action);
    const made = new BoundCell(cell, this.principal, resource.kind, action, this.cells.get(action));
    this.cells.set(action, made);
    this.count++;
    return made;
  }
}

class BoundCell {
  readonly kind: string;
  readonly action: string;
  /** Another one of the same action. */
  readonly next: BoundCell | undefined;
  private readonly cell: Cell;
  private readonly principal: PrincipalInput;
  private bound: BoundFunction | undefined = undefined;
  private left = 1;

  constructor(cell: Cell, principal: PrincipalInput, kind: string, action: string, next: BoundCell | undefined) {
    this.kind = kind;
    this.action = action;
    this.next = next;
    this.cell = cell;
    this.principal = principal;
  }

  verdict(resource: ResourceInput, now: Timestamp | undefined): LayerVerdict {
    const { cell, principal } = this;
    if (this.bound === undefined) {
      if (--this.left > 0) return cell.verdict(principal, resource, now);
      this.left = PATIENCE;
      this.bound = cell.boundTo(principal);
      if (this.bound === undefined) return cell.verdict(principal, resource, now);
    }
    let set: unknown;
    try {
      set = this.bound(resource, now);
    } catch {
      // A getter that throws: the closures meet it again, if they reach it.
    }
    return cell.verdictOn(set, principal, resource, now);
  }
}
