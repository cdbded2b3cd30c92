/** `1 rule`, `2 rules`, `2 policies`. */
export function plural(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : noun.replace(/(?<![aeo])y$/, "ie").concat("s")}`;
}
