/** Attributes that rules read, against the JSON Schemas of their policies. */

import { didYouMean } from "../../policy/distance.js";
import type { AnyPolicy } from "../../policy/model.js";
import type { SchemaDeclaration } from "../../schema/declaration.js";
import { type LayerName, ruleId } from "../policies.js";
import type { Finding } from "./finding.js";
import { type AttributeRead, partsOf, readsOf, readText, subjectOf } from "./reads.js";
import type { SchemaSubject, SchemasOfSubjects, SubjectSchema } from "./subjects.js";

/**
 * Attributes that a schema does not have; and, where other policies have schemas, denials that read attributes without
 * one. An undeclared attribute has no type, so `"true"` in place of `true` does not err: a DENY rule over it does not deny.
 * So an undeclared attribute is an error in a DENY rule, and in each rule of the platform layer.
 */
export function attributeFindings(
  policy: AnyPolicy,
  layer: LayerName | undefined,
  subjects: SchemasOfSubjects,
): readonly Finding[] {
  const found: Finding[] = [];
  const without = new Set<SchemaSubject>();
  policy.rules.forEach((rule, i) => {
    const schemas = subjects.of(policy, rule);
    const isDenial = "effect" in rule && rule.effect === "deny";
    const id = ruleId(policy, i);
    for (const one of partsOf(policy, rule).flatMap(readsOf)) {
      const subject = subjectOf(one.read);
      if (subject === undefined || one.read.path.length === 0) continue;
      const schema = schemas[subject];
      if (schema !== undefined)
        found.push(...undeclared(one, schema, { isDenial, layer }, id, policy.version, subjects));
      else if (
        isDenial &&
        policy.kind === "resource" &&
        subjects.any &&
        !hasSchema(policy, subject) &&
        !without.has(subject)
      ) {
        without.add(subject);
        found.push(unschemed(one, subject, id));
      }
    }
  });
  return found;
}

function hasSchema(policy: Extract<AnyPolicy, { kind: "resource" }>, subject: SchemaSubject): boolean {
  return (subject === "principal" ? policy.principalSchema : policy.resourceSchema) !== undefined;
}

function undeclared(
  { read, expression }: AttributeRead,
  { ref, declared }: SubjectSchema,
  { isDenial, layer }: { readonly isDenial: boolean; readonly layer: LayerName | undefined },
  rule: string,
  version: string,
  subjects: SchemasOfSubjects,
): readonly Finding[] {
  let at: SchemaDeclaration = declared;
  for (const [depth, field] of read.path.entries()) {
    const next = at.field(field);
    if (next.declared === "no") {
      const path = read.path.slice(0, depth + 1);
      const elsewhere =
        read.root === "P.attr" && depth === 0
          ? subjects.principalsOf(version).find((other) => other.declared.field(field).declared === "yes")
          : undefined;
      const hint =
        didYouMean(field, at.names) ??
        (elsewhere === undefined
          ? `declare it in ${ref}, or do not read it`
          : `${elsewhere.ref} declares it, for the principal of the other layer`);
      const denial = isDenial ? ", so a value of a wrong type passes this DENY rule" : "";
      const message = `this rule reads ${readText({ ...read, path })}, which ${ref} does not declare${denial}`;
      const severity = isDenial || layer === "platform" ? "error" : "warning";
      return [{ code: "undeclared_attribute", severity, message, hint, ...expression.position(read.at), rule }];
    }
    at = next;
  }
  return [];
}

function unschemed({ read, expression }: AttributeRead, subject: SchemaSubject, rule: string): Finding {
  const message = `this DENY rule reads attributes of the ${subject} that have no schema, so a value of a wrong type passes it`;
  const hint = `name a schema in schemas.${subject}Schema.ref`;
  return { code: "no_schema", severity: "warning", message, hint, ...expression.position(read.at), rule };
}
