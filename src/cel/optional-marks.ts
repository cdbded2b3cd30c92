/** The question marks of optional syntax in one expression, by where the parser places what they belong to. */

/** Where a question mark stood in the source, and whether a node was found that it belongs to. */
interface Mark {
  readonly at: number;
  isUsed: boolean;
}

export class OptionalMarks {
  private readonly all: Mark[] = [];
  /** Of `a.?b`: by the offset of the dot in the parser's text. */
  private readonly fields = new Map<number, Mark>();
  /** Of `a[?k]`, `[?e]` and `{?k: v}`: by the offset of the bracket, and the commas before the entry. */
  private readonly entries = new Map<number, Map<number, Mark>>();

  addField(dot: number, at: number): void {
    this.fields.set(dot, this.made(at));
  }

  addEntry(bracket: number, position: number, at: number): void {
    const known = this.entries.get(bracket) ?? new Map<number, Mark>();
    this.entries.set(bracket, known.set(position, this.made(at)));
  }

  private made(at: number): Mark {
    const mark = { at, isUsed: false };
    this.all.push(mark);
    return mark;
  }

  /** Whether the selection at a dot is optional. */
  field(dot: number): boolean {
    return used(this.fields.get(dot));
  }

  /** Whether the entry at a position within a bracket is optional. */
  entry(bracket: number, position: number): boolean {
    return used(this.entries.get(bracket)?.get(position));
  }

  /** Where a question mark stands that belongs to nothing: `f(a).?g()`, `has(a.?b)`. */
  get stray(): number | undefined {
    return this.all.find(({ isUsed }) => !isUsed)?.at;
  }
}

function used(mark: Mark | undefined): boolean {
  if (mark !== undefined) mark.isUsed = true;
  return mark !== undefined;
}
