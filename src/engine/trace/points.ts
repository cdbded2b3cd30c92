/** The points of a layer: each thing that can be reached, numbered. */

import type { Position } from "../../policy/issue.js";
import type { Point } from "./types.js";

/** A point whose position is not looked up yet. */
export interface OpenPoint extends Omit<Point, "id" | "at"> {
  at(): Position;
}

export class Points {
  private readonly open: OpenPoint[] = [];
  private closed: readonly Point[] | undefined;

  add(point: OpenPoint): number {
    return this.open.push(point) - 1;
  }

  /** All of them; the index of each is its id. */
  get all(): readonly Point[] {
    this.closed ??= this.open.map(({ at, ...point }, id) => ({ id, ...point, at: at() }));
    return this.closed;
  }
}
