/**
 * Finds the positions of a regular expression's matches and groups. The regular expression library only tells whether a
 * text matches, so this runs its compiled program with Pike's algorithm. It advances all threads of the automaton
 * together, in order of preference. So it finds the leftmost match that a backtracking search would find first, in
 * linear time, like Go's `regexp`, which the server uses.
 */

import { type Evaluation, spend } from "./evaluation.js";
import type { Program } from "./regex.js";

/** The operations of a compiled program (RE2's `Prog`). From {@link RUNE} on, all match one character. */
const ALT = 1;
const ALT_MATCH = 2;
const CAPTURE = 3;
const EMPTY_WIDTH = 4;
const MATCH = 6;
const NOP = 7;
const RUNE = 8;

/** The conditions that an empty-width operation can require. */
const BEGIN_LINE = 0x01;
const END_LINE = 0x02;
const BEGIN_TEXT = 0x04;
const END_TEXT = 0x08;
const WORD_BOUNDARY = 0x10;
const NO_WORD_BOUNDARY = 0x20;

const NEWLINE = 0x0a;
/** Stands for the characters before and after the text. */
const OUTSIDE = -1;

/** Offsets where each group begins and ends, the whole match first; -1 for a group that took no part. */
export type Match = readonly number[];

interface Thread {
  readonly pc: number;
  readonly groups: Match;
}

/** The threads at one position, preferred ones first, and the instructions already visited there. */
interface Threads {
  readonly list: Thread[];
  readonly seen: Set<number>;
}

/** Searches one text, and pays a step for each instruction that it visits. */
export class Searcher {
  private readonly ev: Evaluation;
  private readonly program: Program;
  private readonly text: string;
  private looks = 0;

  constructor(ev: Evaluation, program: Program, text: string) {
    this.ev = ev;
    this.program = program;
    this.text = text;
  }

  /**
   * The first `limit` matches, from left to right, without overlaps. An empty match right after another match does not
   * count. `undefined` once the budget is exhausted.
   */
  all(limit = Number.POSITIVE_INFINITY): readonly Match[] | undefined {
    const matches: Match[] = [];
    let end = -1;
    for (let at = 0; at <= this.text.length && matches.length < limit; ) {
      const match = this.first(at);
      if (match === undefined) return undefined;
      if (match === null) break;
      const [from = 0, to = 0] = match;
      if (to > from || from !== end) matches.push(match);
      end = to;
      // After an empty match, the next search begins one character further.
      at = to === at ? at + this.widthAt(at) : to;
    }
    return matches;
  }

  /** The leftmost match from `from` on, or null; `undefined` once the budget is exhausted. */
  first(from: number): Match | null | undefined {
    const none = new Array<number>(this.program.numCap).fill(-1);
    let threads: Threads = { list: [], seen: new Set() };
    let found: Match | null = null;
    for (let at = from; ; at += this.widthAt(at)) {
      if (found === null) this.add(threads, this.program.start, replaced(none, 0, at), at, this.contextAt(at));
      if (threads.list.length === 0 && found !== null) break;
      const rune = this.runeAt(at);
      const after = at + this.widthAt(at);
      const context = this.contextAt(after);
      const next: Threads = { list: [], seen: new Set() };
      for (const { pc, groups } of threads.list) {
        const instruction = this.program.getInst(pc);
        if (instruction.op === MATCH) {
          // The threads after this one are preferred less.
          found = replaced(groups, 1, at);
          break;
        }
        if (rune !== OUTSIDE && instruction.matchRune(rune)) this.add(next, instruction.out, groups, after, context);
      }
      this.looks += 1 + threads.list.length;
      if (!this.pay(FEW)) return undefined;
      if (rune === OUTSIDE) break;
      threads = next;
    }
    return this.pay(0) ? found : undefined;
  }

  /** Pays for the visits since the last payment, if there are more than `above`. */
  private pay(above: number): boolean {
    if (this.looks <= above) return true;
    const cost = this.looks;
    this.looks = 0;
    return spend(this.ev, cost);
  }

  /** Adds the threads that `start` reaches without consuming a character. */
  private add(threads: Threads, start: number, groups: Match, at: number, context: number): void {
    let pc = start;
    let held = groups;
    while (!threads.seen.has(pc)) {
      threads.seen.add(pc);
      this.looks++;
      const { op, out, arg } = this.program.getInst(pc);
      if (op === ALT || op === ALT_MATCH) {
        this.add(threads, out, held, at, context);
        pc = arg;
      } else if (op === NOP) {
        pc = out;
      } else if (op === CAPTURE) {
        held = replaced(held, arg, at);
        pc = out;
      } else if (op === EMPTY_WIDTH) {
        if ((arg & ~context) !== 0) return;
        pc = out;
      } else {
        if (op === MATCH || op >= RUNE) threads.list.push({ pc, groups: held });
        return;
      }
    }
  }

  private runeAt(at: number): number {
    return this.text.codePointAt(at) ?? OUTSIDE;
  }

  private widthAt(at: number): number {
    return this.runeAt(at) > 0xffff ? 2 : 1;
  }

  private runeBefore(at: number): number {
    if (at === 0) return OUTSIDE;
    const isPair = at > 1 && this.runeAt(at - 2) > 0xffff;
    return this.runeAt(isPair ? at - 2 : at - 1);
  }

  /** The empty-width conditions that hold at offset `at`. */
  private contextAt(at: number): number {
    const before = this.runeBefore(at);
    const after = this.runeAt(at);
    let context = isWord(before) === isWord(after) ? NO_WORD_BOUNDARY : WORD_BOUNDARY;
    if (before === OUTSIDE) context |= BEGIN_TEXT | BEGIN_LINE;
    if (before === NEWLINE) context |= BEGIN_LINE;
    if (after === OUTSIDE) context |= END_TEXT | END_LINE;
    if (after === NEWLINE) context |= END_LINE;
    return context;
  }
}

/** Up to this many visits are paid for together. */
const FEW = 256;

function replaced(groups: Match, at: number, value: number): Match {
  const copy = groups.slice();
  copy[at] = value;
  return copy;
}

function isWord(rune: number): boolean {
  if (rune === 0x5f || (rune >= 0x30 && rune <= 0x39)) return true;
  return (rune >= 0x41 && rune <= 0x5a) || (rune >= 0x61 && rune <= 0x7a);
}
