/** Checks the names of environment variables: a misspelt one would be ignored silently, and the default used. */

type Environment = { readonly [name: string]: string | undefined };

/** Variables that have no meaning without another variable. */
const DEPENDENT = [
  ["ADMIN_PORT", "ADMIN_TOKENS"],
  ["ADMIN_TOKENS", "ADMIN_PORT"],
  ["DATABASE_POOLER", "DATABASE_URL"],
  ["RATE_LIMIT_BURST", "RATE_LIMIT"],
  ["RETENTION_AUDIT_DAYS", "RETENTION_AUDIT_DIR"],
  ["RETENTION_AUDIT_DIR", "RETENTION_AUDIT_DAYS"],
  ["CANDIDATE_SAMPLE", "CANDIDATE_POLICIES"],
  ["DECISION_LOG_MASK", "DECISION_LOG_READS"],
  ["DECISION_LOG_SALT", "DECISION_LOG_MASK"],
  ["CERBOS_PDP_TLS", "CERBOS_PDP"],
  ["CERBOS_PDP_TIMEOUT_MS", "CERBOS_PDP"],
] as const;

/** Only this service has names with this prefix, so an unknown one is a mistake. */
const PREFIX = "KEYWARD_";

/** The faults of the variables, apart from their values: one line each, without values. */
export function faultsOf(environment: Environment, known: readonly string[]): readonly string[] {
  const names = Object.keys(environment).filter((name) => environment[name] !== undefined);
  return [
    ...known
      .filter((name) => environment[name]?.trim() === "")
      .map((name) => `${name} must not be empty: set a value, or leave the variable out`),
    ...names.filter((name) => !known.includes(name)).flatMap((name) => unknown(name, known)),
    ...DEPENDENT.filter(([name, other]) => names.includes(name) && !names.includes(other)).map(
      ([name, other]) => `${name} must be set together with ${other}`,
    ),
  ];
}

function unknown(name: string, known: readonly string[]): readonly string[] {
  const upper = name.toUpperCase();
  const bare = upper.startsWith(PREFIX) ? upper.slice(PREFIX.length) : upper;
  const meant = known
    .map((candidate) => ({ candidate, distance: distanceOf(bare, candidate) }))
    .filter(({ candidate, distance }) => distance <= mostLetters(candidate))
    .toSorted((a, b) => a.distance - b.distance)[0];
  if (meant !== undefined) return [`${name} is unknown: did you mean ${meant.candidate}?`];
  return bare === upper ? [] : [`${name} is unknown`];
}

/** The number of wrong letters to tolerate. In a short name only one: with two, HOME would resemble HOST. */
const mostLetters = (name: string): number => (name.length < 8 ? 1 : 2);

/** The number of letters to insert, remove, replace, or swap with the next (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  let [before, row]: [readonly number[], readonly number[]] = [[], Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const at = (list: readonly number[], place: number): number => list[place] ?? Number.POSITIVE_INFINITY;
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(
        Math.min(
          at(row, j) + 1,
          at(next, j - 1) + 1,
          at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
          isSwapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
