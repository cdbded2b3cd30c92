/** A source with all its mutants in it, of which a variable chooses one, so that one bundle serves for all of them. */

import type { Faults, Mutant, Part } from "./mutations.js";

/** The variables that an instrumented source reads; whoever evaluates it has to provide them. */
export const VARIABLES = {
  /** The number of the mutant; -1 is the source as it is. */
  mutant: "__mutant",
  /** For each mutant whether its place was reached: a byte. */
  reached: "__reached",
  /** `{ count, most, endless() }`: how often bodies of loops and functions have run, how often they may, and what is thrown then. */
  steps: "__steps",
} as const;

const { mutant: MUTANT, reached: REACHED, steps: STEPS } = VARIABLES;

const TICK = `if (++${STEPS}.count > ${STEPS}.most) throw ${STEPS}.endless();`;

/** A place with what can stand there in its stead. */
interface Place extends Part {
  readonly isStatement: boolean;
  readonly others: readonly (readonly [number: number, text: string])[];
  readonly isBody: boolean;
}

/** `source` with the mutants of `faults`, numbered from `first`. Those of places within a mutant are not in it: only one is chosen. */
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
