/** Declarations of commands and their options, from which `--help` is written. */

/** An option with a text, or a switch. */
export interface CliOption {
  /** The placeholder of its text: `FILE`. Absent for a switch. */
  readonly value?: string;
  /** Whether it may be repeated. Repeating any other option with a text is a usage error. */
  readonly multiple?: boolean;
  /** Its effect, for `--help`. */
  readonly does: string;
}

export interface CliOptions {
  readonly [name: string]: CliOption;
}

export interface Usage {
  readonly name: string;
  /** The required arguments, one entry for each form of the command: `DIR`, `--policies DIR|BUNDLE`. */
  readonly takes: readonly string[];
  /** The purpose of the command, in a sentence. */
  readonly does: string;
  readonly options: CliOptions;
}

/** The `--format` option. The first form is the default. */
export function formatOption(forms: readonly string[]): CliOption {
  return { value: forms.join("|"), does: `the output format (default ${forms[0]})` };
}

export const EXIT_CODES =
  "exit codes: 0 fine, 1 unexpected, 2 bad usage or input, 3 policies invalid, 4 a check found failures, 5 not proved\n";

/** The entry of a command in the list of all commands. */
export function synopsis({ name, takes, does }: Usage): string {
  const forms = takes.map((form) => `  keyward ${name} ${form} [OPTIONS]\n`);
  return `${forms.join("")}      ${does}\n`;
}

/** The output of `keyward COMMAND --help`. */
export function helpOf(usage: Usage): string {
  const options = Object.entries(usage.options).map(([name, option]) => [written(name, option), option.does] as const);
  const width = Math.max(...options.map(([option]) => option.length));
  const lines = options.map(([option, does]) => `  ${option.padEnd(width)}  ${does}\n`);
  return `usage:\n${synopsis(usage)}\noptions:\n${lines.join("")}\n${EXIT_CODES}`;
}

/** An option as it is written on the command line. */
export function written(name: string, { value }: CliOption): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}
