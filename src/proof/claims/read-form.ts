/** Reads the form of a claim: the fields that state it. */

import { OUTCOMES, type Outcome } from "../../decisions/types.js";
import { didYouMean } from "../../policy/distance.js";
import { dataOf, type MapNode } from "../../policy/text/tree.js";
import type { ClaimFields } from "./fields.js";
import { FORMS } from "./schema.js";
import type { Claim, ClaimedKey, ClaimForm, SubsetClaim } from "./types.js";

/** The form of a claim, and its operations where the form gives them. */
type StatedForm = Pick<Claim, "form"> & { readonly operations?: Claim["operations"] };

/** Undefined: the claim has no form, or several, or a wrong one. All faults are reported. */
export function readForm(node: MapNode, fields: ClaimFields): StatedForm | undefined {
  const found = FORMS.flatMap(([names]) => {
    const [first] = names.filter((name) => node.entries.has(name));
    return first === undefined ? [] : [first];
  });
  const [field, other] = found;
  if (field === undefined) {
    const forms = FORMS.map(([names, meaning]) => `${names.map((name) => `\`${name}\``).join(" and ")} (${meaning})`);
    fields.wrong(node.start, `a claim needs one of ${forms.slice(0, -1).join(", ")} or ${forms.at(-1)}`);
    return undefined;
  }
  if (other !== undefined || (node.entries.has("apart") && field !== "together")) {
    return split(node, fields, field, other ?? "apart");
  }
  switch (field) {
    case "together":
      return together(node, fields);
    case "absent":
      return absent(node, fields);
    case "hears":
    case "hearsOnly":
      return {
        form: { kind: "reasons", all: fields.names(node, "hears") ?? [], only: fields.names(node, "hearsOnly") },
      };
    case "role":
    case "includes":
      return formOf(hierarchy(node, fields));
    case "subset":
      return formOf(subset(node, fields));
    default:
      return formOf(outcomes(node, fields));
  }
}

function formOf(form: ClaimForm | undefined): StatedForm | undefined {
  return form && { form };
}

function split(node: MapNode, fields: ClaimFields, one: string, other: string): undefined {
  fields.wrong(node.start, `a claim has both \`${one}\` and \`${other}\`: split it into two claims`);
  return undefined;
}

function outcomes(node: MapNode, fields: ClaimFields): ClaimForm {
  const isNever = node.entries.has("never");
  const named = fields.texts(node, isNever ? "never" : "always").flatMap((one): readonly Outcome[] => {
    const found = OUTCOMES.find((outcome) => outcome === one.data);
    const hint = didYouMean(String(one.data), OUTCOMES);
    return found === undefined ? fields.wrong(one.start, `must be one of ${OUTCOMES.join(", ")}`, hint) : [found];
  });
  return { kind: "outcomes", never: isNever ? named : OUTCOMES.filter((outcome) => !named.includes(outcome)) };
}

function together(node: MapNode, fields: ClaimFields): StatedForm | undefined {
  if (node.entries.has("operations")) return split(node, fields, "together", "operations");
  const apart = node.entries.get("apart")?.value;
  if (apart !== undefined && (apart.kind !== "scalar" || apart.data !== true)) {
    fields.wrong(apart.start, "`apart` must be true, or absent");
    return undefined;
  }
  const [first, second, ...more] = fields.names(node, "together") ?? [];
  if (first !== undefined && second !== undefined && more.length === 0 && first.name !== second.name) {
    return { operations: [first], form: { kind: "together", other: second, isApart: apart !== undefined } };
  }
  const at = node.entries.get("together")?.value.start ?? node.start;
  fields.wrong(at, "`together` must be a list of two different operations");
  return undefined;
}

function absent(node: MapNode, fields: ClaimFields): StatedForm | undefined {
  if (node.entries.has("operations")) return split(node, fields, "absent", "operations");
  if (node.entries.has("assume")) return split(node, fields, "absent", "assume");
  return { operations: fields.names(node, "absent"), form: { kind: "absent" } };
}

/** A role that includes another one. */
function hierarchy(node: MapNode, fields: ClaimFields): SubsetClaim | undefined {
  const [role, ...more] = fields.names(node, "role") ?? [];
  const [includes, ...others] = fields.names(node, "includes") ?? [];
  if (role === undefined || includes === undefined || more.length + others.length > 0 || role.name === includes.name) {
    fields.wrong(node.start, "a claim about a hierarchy needs `role` and `includes`, two different roles");
    return undefined;
  }
  return { kind: "subset", lesser: { roles: [includes], attr: [] }, greater: { roles: [role], attr: [] } };
}

function subset(node: MapNode, fields: ClaimFields): SubsetClaim | undefined {
  const both = fields.map(node, "subset", ["child", "of"]);
  if (both === undefined) return undefined;
  const [lesser, greater] = [keyOf(both, "child", fields), keyOf(both, "of", fields)];
  if (lesser === undefined || greater === undefined) return undefined;
  return { kind: "subset", lesser, greater };
}

function keyOf(node: MapNode, field: string, fields: ClaimFields): ClaimedKey | undefined {
  const key = fields.map(node, field, ["roles", "attr"]);
  if (key === undefined) return undefined;
  const attr = key.entries.has("attr") ? fields.map(key, "attr") : undefined;
  const values = [...(attr?.entries ?? [])].map(([name, entry]) => ({
    name,
    at: fields.at(entry.key.start),
    value: dataOf(entry.value),
  }));
  return { roles: fields.names(key, "roles"), attr: values };
}
