/** Header fields that tell a refused caller which permissions would be enough. */

import type { PolicySet } from "../decisions/policy-set.js";
import type { PolicyTypes } from "../decisions/policy-types.js";
import type { Decision, DecisionRequest } from "../decisions/types.js";
import { acceptedPermissionsOf, challengeOf } from "../hints/header.js";

/** Options of `guard` and of each `authorize`. By default a refusal tells nothing of permissions. */
export interface HintHeaderOptions<T extends PolicyTypes = PolicyTypes> {
  /** The policies that decide: hints are read from them. A function is called for each refusal. */
  readonly policies?: PolicySet<T> | (() => PolicySet<T>) | undefined;
  /**
   * Whether an `insufficient_permissions` has `WWW-Authenticate: Bearer error="insufficient_scope", scope="…"` (RFC 6750),
   * with the permissions of the first hint. No field is sent where no permission would help, and never with another
   * outcome. Default: `false`.
   */
  readonly challenge?: boolean | undefined;
  /**
   * Whether an `insufficient_permissions` has `X-Accepted-Permissions`, or the field of the given name, with every hint
   * by permissions: `api.api_1.delete_api; api.*.delete_api`. Default: `false`.
   */
  readonly acceptedHeader?: boolean | string | undefined;
}

type HeaderFields = { readonly [name: string]: string };

/** The default of `acceptedHeader`. */
const ACCEPTED = "x-accepted-permissions";

/** A `token` of RFC 9110 §5.6.2. */
const FIELD_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

const NONE: HeaderFields = Object.freeze({});

/**
 * Makes the function that gives the header fields for a refused request. Throws a `TypeError` for options without
 * policies to read hints from, and for a malformed name of a field. The made function passes on the errors of a
 * function for the policies.
 */
export function hintHeaders<T extends PolicyTypes>(
  options: HintHeaderOptions<T>,
): (decision: Decision<T>, request: DecisionRequest<T>) => Promise<HeaderFields> {
  const { policies, challenge = false, acceptedHeader = false } = options;
  if (!challenge && acceptedHeader === false) return async () => NONE;
  if (policies === undefined)
    throw new TypeError("challenge and acceptedHeader need policies: the hints come from them");
  const accepted = acceptedHeader === true ? ACCEPTED : acceptedHeader;
  if (accepted !== false && !FIELD_NAME.test(accepted)) {
    throw new TypeError("acceptedHeader must be true, or the name of a header field");
  }
  return async (decision, request) => {
    if (decision.outcome !== "insufficient_permissions") return NONE;
    // Imported on demand: programs without hints do not load the reader of conditions.
    const { hintsOf } = await import("../hints/hints-of.js");
    const hints = hintsOf<T>(typeof policies === "function" ? policies() : policies, decision, request);
    const fields: { [name: string]: string } = {};
    const challenged = challenge ? challengeOf(hints) : undefined;
    if (challenged !== undefined) fields["www-authenticate"] = challenged;
    const list = accepted === false ? undefined : acceptedPermissionsOf(hints);
    if (accepted !== false && list !== undefined) fields[accepted.toLowerCase()] = list;
    return fields;
  };
}
