/**
 * The solver reads formulas as they are meant, and can always be ended.
 *
 * @module-tag long
 */

import { EventEmitter } from "node:events";
import { afterAll, expect, test, vi } from "vitest";
import { type Formula, Formulas } from "../../src/engine/formula/formula.js";
import { findSolver } from "../../src/solver/solver.js";

const solver = findSolver({ timeLimit: 5_000 });
afterAll(() => solver?.close());
const formulas = new Formulas();

const text = formulas.unknown("text", "a text");
const number = formulas.unknown("real", "a number");

async function answer(...holds: readonly Formula[]): Promise<string | undefined> {
  return (await solver?.ask({ holds, wanted: [], texts: "whole" }))?.kind;
}

test.each<[string, Formula, Formula]>([
  ["starts", formulas.starts(text, formulas.text("ab")), formulas.starts(text, formulas.text("b"))],
  ["ends", formulas.ends(text, formulas.text("ab")), formulas.ends(text, formulas.text("a"))],
  ["contains", formulas.contains(text, formulas.text('"\\\n')), formulas.same(text, formulas.text("ab"))],
  [
    "the order by code points",
    formulas.before(text, formulas.text("b")),
    formulas.same(text, formulas.text("\u{1f600}")),
  ],
  [
    "length by code points",
    formulas.same(formulas.length(text), formulas.number(1)),
    formulas.same(text, formulas.text("ab")),
  ],
  ["whole", formulas.whole(number), formulas.same(number, formulas.number(0.5))],
  ["floor", formulas.atMost(formulas.number(-2), formulas.floor(number)), formulas.same(number, formulas.number(-2.5))],
  [
    "joined",
    formulas.same(formulas.join(text, formulas.text("b")), formulas.text("ab")),
    formulas.same(text, formulas.text("b")),
  ],
])("%s", async (_what, holds, against) => {
  expect(await answer(holds)).toBe("satisfiable");
  expect(await answer(holds, against)).toBe("unsatisfiable");
});

test("values come back as they are", async () => {
  const wanted = [text, number];
  const holds = [
    formulas.same(text, formulas.text('a"\\u{41}\u{1f600}')),
    formulas.same(formulas.product(number, formulas.number(3)), formulas.number(-1)),
  ];
  const found = await solver?.ask({ holds, wanted, texts: "whole" });
  expect(found?.kind === "satisfiable" && [...found.values.values()]).toEqual([
    'a"\\u{41}\u{1f600}',
    { num: -1n, den: 3n },
  ]);
});

test("a question that takes too long is not answered, and the next one is", async () => {
  const hurried = findSolver({ timeLimit: 1 });
  const all = Array.from({ length: 14 }, (_, i) => formulas.unknown("real", `n${i}`));
  const hard = all.map((one, i) =>
    formulas.same(
      formulas.product(one, formulas.product(one, all[(i + 1) % all.length] ?? one)),
      formulas.number(i + 2),
    ),
  );
  expect((await hurried?.ask({ holds: hard, wanted: [], texts: "whole" }))?.kind).toBe("unknown");
  expect((await hurried?.ask({ holds: [formulas.no], wanted: [], texts: "whole" }))?.kind).not.toBe("satisfiable");
  hurried?.close();
  expect(await hurried?.ask({ holds: [formulas.yes], wanted: [], texts: "whole" })).toMatchObject({ kind: "unknown" });
});

test("the same question has the same answer, whatever was asked before", async () => {
  const numbers = Array.from({ length: 6 }, (_, i) => formulas.unknown("real", `number ${i}`));
  const texts = Array.from({ length: 4 }, (_, i) => formulas.unknown("text", `text ${i}`));
  const different = <T extends Formula>(all: readonly T[]) =>
    all.flatMap((one, i) => all.slice(i + 1).map((other) => formulas.not(formulas.same(one, other))));
  const questions = [
    { holds: different(numbers), wanted: numbers, texts: "whole" },
    { holds: different(texts), wanted: texts, texts: "whole" },
    {
      holds: [formulas.contains(text, formulas.text("b")), ...different([text, ...texts])],
      wanted: [text, ...texts],
      texts: "whole",
    },
    {
      holds: [formulas.atMost(number, formulas.number(3)), ...different([number, ...numbers])],
      wanted: numbers,
      texts: "whole",
    },
  ] as const;
  const asked = async (order: readonly number[]) => {
    const found = new Map<number, unknown>();
    const fresh = findSolver();
    for (const i of order) {
      const question = questions[i];
      if (question !== undefined) found.set(i, await fresh?.ask(question));
    }
    fresh?.close();
    return questions.map((_, i) => found.get(i));
  };
  const first = await asked([0, 1, 2, 3]);
  expect(first).toMatchObject(questions.map(() => ({ kind: "satisfiable" })));
  for (const order of [
    [3, 2, 1, 0],
    [2, 0, 0, 1, 3],
    [1, 3, 3, 2, 0],
  ])
    expect(await asked(order)).toEqual(first);
});

test("a question that was answered is not asked again", async () => {
  const fresh = findSolver();
  // One listener ends with each reply of the process.
  const ended = vi.spyOn(EventEmitter.prototype, "off");
  const replies = () => ended.mock.calls.filter(([name]) => name === "message").length;
  const question = (least: number) => ({
    holds: [formulas.atMost(formulas.number(least), number)],
    wanted: [number],
    texts: "whole" as const,
  });
  const first = await fresh?.ask(question(3));
  expect(first?.kind).toBe("satisfiable");
  const before = replies();
  expect(await fresh?.ask(question(3))).toEqual(first);
  expect(replies()).toBe(before);
  expect((await fresh?.ask(question(4)))?.kind).toBe("satisfiable");
  expect(replies()).toBe(before + 1);
  ended.mockRestore();
  fresh?.close();
});
