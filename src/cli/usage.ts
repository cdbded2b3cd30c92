/** How commands are used: what they take, and what `--help` says of it. */

/** An option takes a text, or is a switch. */
export interface Option {
  /** What stands for its text: `FILE`. A switch has none. */
  readonly value?: string;
  /** Whether it may be given several times. Two texts for any other are bad usage. */
  readonly multiple?: boolean;
  /** What it does, for `--help`. */
  readonly does: string;
}

export interface Options {
  readonly [name: string]: Option;
}

export interface Usage {
  readonly name: string;
  /** What it takes before its options, in each form that it has: `DIR`, `--policies DIR|BUNDLE`. */
  readonly takes: readonly string[];
  /** What it does, in a sentence. */
  readonly does: string;
  readonly options: Options;
}

/** The option for the form of what is printed, the first of these unless it is given. */
export function formatOption(forms: readonly string[]): Option {
  return { value: forms.join("|"), does: `the form of what is printed, ${forms[0]} unless it is given` };
}

export const EXIT_CODES =
  "exit codes: 0 fine, 1 unexpected, 2 bad usage or input, 3 policies invalid, 4 a check found failures, 5 not proven\n";

/** A command in the list of all. */
export function synopsis({ name, takes, does }: Usage): string {
  const forms = takes.map((form) => `  keyward ${name} ${form} [OPTIONS]\n`);
  return `${forms.join("")}      ${does}\n`;
}

/** What `keyward COMMAND --help` says. */
export function helpOf(usage: Usage): string {
  const options = Object.entries(usage.options).map(([name, option]) => [written(name, option), option.does] as const);
  const width = Math.max(...options.map(([option]) => option.length));
  const lines = options.map(([option, does]) => `  ${option.padEnd(width)}  ${does}\n`);
  return `usage:\n${synopsis(usage)}\noptions:\n${lines.join("")}\n${EXIT_CODES}`;
}

/** An option as it is given. */
export function written(name: string, { value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}
