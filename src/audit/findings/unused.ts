/** Definitions that are never read (`src/policy/resolve/unused.ts`). */

import type { PolicyModel, Unused } from "../../policy/model.js";
import type { Finding } from "./finding.js";

const WORDS: { readonly [K in Unused["kind"]]: (name: string) => readonly [message: string, hint: string] } = {
  variable: (name) => [`no rule reads the variable ${name}`, `read it as V.${name} where it is needed, or remove it`],
  constant: (name) => [`no rule reads the constant ${name}`, `read it as C.${name} where it is needed, or remove it`],
  derived_role: (name) => [`no rule lists the derived role ${name}`, "list it in a rule's derivedRoles, or remove it"],
  import: (name) => [`this policy imports ${name} but uses nothing of it`, "use it, or remove the import"],
  set: (name) => [`no policy imports ${name}`, "import it where it is needed, or remove it"],
};

export function unusedFindings({ unused }: PolicyModel): readonly Finding[] {
  return unused.map(({ kind, name, at }) => {
    const [message, hint] = WORDS[kind](name);
    return { code: "unused_definition", severity: "warning", message, hint, ...at };
  });
}
