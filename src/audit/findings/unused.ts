/** Definitions that are never read (`src/policy/resolve/unused.ts`). */

import type { PolicyModel, Unused } from "../../policy/model.js";
import type { Finding } from "./finding.js";

const WORDS: { readonly [K in Unused["kind"]]: (name: string) => readonly [message: string, hint: string] } = {
  variable: (name) => [`no rule reads the variable ${name}`, `read it as V.${name} where it was meant, or take it out`],
  constant: (name) => [`no rule reads the constant ${name}`, `read it as C.${name} where it was meant, or take it out`],
  derived_role: (name) => [
    `no rule lists the derived role ${name}`,
    "list it in a rule's derivedRoles, or take it out",
  ],
  import: (name) => [`nothing of ${name}, which is imported here, is used`, "use it, or take the import out"],
  set: (name) => [`no policy imports ${name}`, "import it where it was meant, or take it out"],
};

export function unusedFindings({ unused }: PolicyModel): readonly Finding[] {
  return unused.map(({ kind, name, at }) => {
    const [message, hint] = WORDS[kind](name);
    return { code: "unused_definition", severity: "warning", message, hint, ...at };
  });
}
