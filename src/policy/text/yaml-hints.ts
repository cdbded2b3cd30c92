/** Hints for files that are not valid YAML: most faults are in the indentation or the quotes. */

const COLUMN = "begin the lines of one mapping, or of one list, in the same column";

const HINTS: readonly (readonly [message: RegExp, hint: (rest: string) => string])[] = [
  [
    /^Nested mappings/,
    (rest) => (/:\s/.test(rest) ? QUOTE : `the next line is indented deeper than this one: ${COLUMN}`),
  ],
  [/^Flow (sequence|map)/, () => "close the bracket, and indent its content"],
  [/same column|without - indicator|indented/i, () => `the indentation is off: ${COLUMN}`],
  [/^Implicit keys|^Implicit map keys/, () => "write a colon and a space behind each key: `key: value`"],
  [/^Tabs/, () => "indent with spaces"],
  [/^Unexpected scalar/, () => QUOTE_ALL],
  [/^Unexpected flow-|^Block collections/, () => `${QUOTE_ALL}; within { } or [ ], a bracket ends an unquoted value`],
  [/^Unresolved tag: !/, () => "quote the value: '…'; YAML takes a ! at its beginning for a tag"],
];

const QUOTE_ALL = "quote the whole of the value: '…'";
const QUOTE = "quote the value: '…'; it has a colon and a space in it";

/** `rest` is the rest of the line, from the fault on. */
export function yamlHint(message: string, rest: string): string | undefined {
  return HINTS.find(([pattern]) => pattern.test(message))?.[1](rest);
}
