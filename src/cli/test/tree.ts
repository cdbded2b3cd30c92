/** Trees of text, drawn with lines or with indentation alone. */

export interface TextTree {
  readonly text: string;
  readonly children: readonly TextTree[];
}

export function leaf(text: string): TextTree {
  return { text, children: [] };
}

/** The lines of several trees beneath one root that is not shown. */
export function drawn(trees: readonly TextTree[]): readonly string[] {
  return trees.flatMap((tree, i) => {
    const last = i === trees.length - 1;
    const fork = `${last ? "└" : "├"}─${tree.children.length === 0 ? "─" : "┬"}`;
    return [`${fork}${tree.text}`, ...drawn(tree.children).map((line) => `${last ? " " : "│"} ${line}`)];
  });
}

export function indented(trees: readonly TextTree[]): readonly string[] {
  return trees.flatMap(({ text, children }) => [text, ...indented(children).map((line) => `  ${line}`)]);
}
