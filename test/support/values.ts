/** Valid and invalid values for attributes. */

const long = "l".repeat(513);
export function many<T>(count: number, element: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => element(i));
}

/**
 * Values of every type, JSON or not: strings around the limits, numbers, lists, maps, instances of other classes,
 * instants.
 */
export const VALUES: readonly unknown[] = [
  ...["x", "y", "kx", "", "xx", "é", "e\u0301", "\u{1f600}x", "\ud800", long, `${long}!`, `${long}x`],
  ...[
    0,
    -0,
    1,
    2,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    true,
    false,
    null,
    undefined,
    1n,
    Symbol("s"),
    () => true,
  ],
  ...[
    [],
    ["x"],
    ["x", "y"],
    ["kx"],
    ["kx", "kx.z"],
    ["qx", "zkx", "kx.y"],
    ["d1"],
    ["y", "d1"],
    [1],
    [1, "x"],
    [null],
    [1n],
    [["x"], ["y"]],
    [["x"], "x"],
    [[], ["y"]],
  ],
  ...[
    {},
    { k: "x" },
    { k: 1 },
    { k: ["x"] },
    Object.create({ k: "x" }),
    Object.assign(Object.create(null), { k: "x" }),
  ],
  ...[new Date(0), new Map([["k", "x"]]), new String("x"), new Array(3)],
  ...[
    [{ k: "x" }],
    [{ k: "y" }, { k: "x" }],
    [{ k: "x" }, {}],
    [{}, { k: "x" }],
    [{ k: 1 }],
    [Object.create({ k: "x" })],
  ],
  ...[[{ k: { k: "x" } }], [{ k: ["x"] }, { k: ["y"] }], [{ k: true }], [true, false], [true, true]],
  ...[many(64, () => "x"), many(65, (i) => `p${i}`), many(1000, (i) => (i === 999 ? "kx" : `k${i % 10}`))],
  ...["2024-01-01T00:00:00Z", "2024-06-01T12:00:00.5Z", "2024-06-01T12:00:00.500000001Z", "2025-01-01T00:00:00+02:00"],
  ...["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2024-06-01", "2024-06-01T12:00:00,25-07:30"],
  ["2023-01-01T00:00:00Z", "2025-01-01T00:00:00Z"],
];
