/** Trees of text, drawn with lines or with indentation only. */

export interface TextTree {
  readonly text: string;
  readonly children: readonly TextTree[];
  /** Lines below the children. */
  readonly note?: readonly string[];
}

export function leaf(text: string): TextTree {
  return { text, children: [] };
}

/** The lines of several trees. Their common root is not shown. */
export function drawn(trees: readonly TextTree[]): readonly string[] {
  return trees.flatMap(({ text, children, note = [] }, i) => {
    const last = i === trees.length - 1;
    const fork = `${last ? "└" : "├"}─${children.length === 0 ? "─" : "┬"}`;
    const below = [...drawn(children), ...note.map((each) => `  ${each}`)];
    return [`${fork}${text}`, ...below.map((each) => `${last ? " " : "│"} ${each}`.trimEnd())];
  });
}

export function indented(trees: readonly TextTree[]): readonly string[] {
  return trees.flatMap(({ text, children, note = [] }) => [
    text,
    ...[...indented(children), ...note].map((each) => `  ${each}`.trimEnd()),
  ]);
}
