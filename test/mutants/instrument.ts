/** Writes a source with all its mutants. A variable chooses the mutant, so one bundle serves all mutants. */

import type { Faults, Mutant, Part } from "./mutations.js";

/** Variables of an instrumented source, which the evaluating code must define. */
export const VARIABLES = {
  /** The number of the mutant; -1 chooses the source itself. */
  mutant: "__mutant",
  /** One byte for each mutant: was its place reached? */
  reached: "__reached",
  /**
   * `{ count, most, endless() }`: runs of loop and function bodies, their limit, and the maker of the error thrown at
   * the limit.
   */
  steps: "__steps",
} as const;

const { mutant: MUTANT, reached: REACHED, steps: STEPS } = VARIABLES;

const TICK = `if (++${STEPS}.count > ${STEPS}.most) throw ${STEPS}.endless();`;

/** A part of the source with its replacements. */
interface Place extends Part {
  readonly isStatement: boolean;
  readonly others: readonly (readonly [number: number, text: string])[];
  readonly isBody: boolean;
}

/**
 * `source` with the mutants of `faults`, numbered from `first`. Mutants inside a mutant's text are left out, since only
 * one mutant is active.
 */
export function instrumented(source: string, { mutants, bodies }: Faults, first: number): string {
  const places = new Map<string, Place>();
  const put = (part: Part, change: (place: Place) => Place) => {
    const id = `${part.start}-${part.end}`;
    const place = { start: part.start, end: part.end, isStatement: false, others: [], isBody: false };
    places.set(id, change(places.get(id) ?? place));
  };
  mutants.forEach((mutant: Mutant, i) => {
    const other = [first + i, mutant.text] as const;
    put(mutant, (place) => ({ ...place, isStatement: mutant.isStatement, others: [...place.others, other] }));
  });
  for (const body of bodies) put(body, (place) => ({ ...place, isBody: true }));
  const sorted = [...places.values()].sort((a, b) => a.start - b.start || b.end - a.end);
  let next = 0;
  const inner = ({ start, end }: Part): string => {
    let text = "";
    let at = start;
    for (let place = sorted[next]; place !== undefined && place.start < end; place = sorted[next]) {
      next++;
      text += source.slice(at, place.start) + switched(place, inner(place));
      at = place.end;
    }
    return text + source.slice(at, end);
  };
  return inner({ start: 0, end: source.length });
}

function switched({ isStatement, others, isBody }: Place, original: string): string {
  const ids = others.map(([id]) => id);
  const reached = ids.map((id) => `${REACHED}[${id}] = 1`);
  if (isBody) {
    const skips = ids.map((id) => `if (${MUTANT} !== ${id}) `).join("");
    return `{${[TICK, ...reached].join(";")};${skips}${original}}`;
  }
  if (isStatement)
    return `{${reached.join(";")};if (${ids.map((id) => `${MUTANT} !== ${id}`).join(" && ")}) ${original}}`;
  const choice = others.map(([id, text]) => `${MUTANT} === ${id} ? (${text}) : `).join("");
  return `(${[...reached, `${choice}(${original})`].join(",")})`;
}
