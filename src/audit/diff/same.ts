import { haveSameSettings } from "../../decisions/configuration.js";
import type { PolicySet } from "../../decisions/policy-set.js";

/** Have two sets the same texts and the same configuration? A bundle has no texts to compare. */
export function areSame(a: PolicySet, b: PolicySet): boolean {
  const { files } = a;
  const haveSameFiles =
    files.length === b.files.length && files.every(({ path, text }, i) => isFile(b.files[i], path, text));
  return files.length > 0 && haveSameFiles && haveSameSettings(a.configuration, b.configuration);
}

function isFile(file: PolicySet["files"][number] | undefined, path: string, text: string): boolean {
  return file?.path === path && file.text === text;
}
