/** Plain words as data, so that each format can mark code and names without parsing text. */

/** `name`: a variable or constant of a policy, defined elsewhere. */
export interface PhrasePart {
  readonly kind: "text" | "code" | "name";
  readonly text: string;
}

export type Phrase = readonly PhrasePart[];

/** A condition in words. `none` of one is "not". */
export type ConditionWords =
  | { readonly kind: "phrase"; readonly phrase: Phrase }
  | { readonly kind: "all" | "any" | "none"; readonly of: readonly ConditionWords[] };

export function text(words: string): Phrase {
  return [{ kind: "text", text: words }];
}

export function code(source: string): Phrase {
  return [{ kind: "code", text: source }];
}

export function name(of: string): Phrase {
  return [{ kind: "name", text: of }];
}

/** Joins strings, which are words, and phrases. */
export function phrase(...parts: readonly (string | Phrase)[]): Phrase {
  const joined: PhrasePart[] = [];
  for (const part of parts.flatMap((each) => (typeof each === "string" ? text(each) : each))) {
    const last = joined.at(-1);
    if (part.text === "") continue;
    if (last?.kind === "text" && part.kind === "text")
      joined[joined.length - 1] = { ...last, text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}

export function say(...parts: readonly (string | Phrase)[]): ConditionWords {
  return { kind: "phrase", phrase: phrase(...parts) };
}

/** A list in words: `a, b or c`. */
export function enumerate(items: readonly Phrase[], last: "and" | "or"): Phrase {
  return phrase(
    ...items.flatMap((item, i) => {
      if (i === 0) return [item];
      return [i === items.length - 1 ? ` ${last} ` : ", ", item];
    }),
  );
}

/** A group of several; a single member stands for itself. Nested groups of the same kind are flattened. */
export function group(kind: "all" | "any", of: readonly ConditionWords[]): ConditionWords {
  const flat = of.flatMap((each) => (each.kind === kind ? each.of : [each]));
  const [only] = flat;
  return only !== undefined && flat.length === 1 ? only : { kind, of: flat };
}

/** The words in one line; brackets show the grouping. */
export function inline(words: ConditionWords): Phrase {
  if (words.kind === "phrase") return words.phrase;
  const [only] = words.of;
  if (words.kind === "none") {
    if (only !== undefined && words.of.length === 1) return phrase("it is not true that ", bracketed(only));
    return phrase("none of these is true: ", separated(words.of, "; "));
  }
  return separated(words.of, words.kind === "all" ? ", and " : ", or ");
}

function separated(of: readonly ConditionWords[], separator: string): Phrase {
  return phrase(...of.flatMap((each, i) => [i === 0 ? "" : separator, bracketed(each)]));
}

function bracketed(words: ConditionWords): Phrase {
  return words.kind === "phrase" ? words.phrase : phrase("(", inline(words), ")");
}

/** As one line of text; code stands between backticks. */
export function plain(words: ConditionWords | Phrase): string {
  const parts = "kind" in words ? inline(words) : words;
  return parts.map(({ kind, text: written }) => (kind === "text" ? written : `\`${written}\``)).join("");
}
