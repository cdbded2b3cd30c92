/** Law 4: order does not matter. */

import * as fc from "fast-check";
import * as E from "fp-ts/lib/Either.js";
import { parseDocument, stringify } from "yaml";
import { decide } from "../../decisions/decide.js";
import { type CompileOptions, compilePolicies, type PolicySet } from "../../decisions/policy-set.js";
import { CONFIGURATION_FILES } from "../../policy/file-rules.js";
import { positionText } from "../../policy/issue.js";
import { checkOptions, OBJECT, type OptionTable, TEXTS } from "../../policy/options.js";
import type { PolicyFile } from "../../policy/parse.js";
import { SCHEMA_DIRECTORY } from "../../policy/schemas.js";
import { SeededChoices } from "./choices.js";
import { isSameExceptOrder } from "./equality.js";
import type { ListOptions } from "./lists.js";
import { LAW_OPTIONS, type LawOptions } from "./options.js";
import type { PlainRequest } from "./plain-request.js";
import { reordered } from "./reduction.js";
import { reorderedDocument } from "./reorder.js";
import { reportable } from "./reportable.js";
import { requests } from "./requests.js";
import { throwViolation } from "./violation.js";

export interface OrderOptions extends LawOptions, ListOptions {
  /** Options for compiling the files. */
  readonly compile?: CompileOptions;
}

const ORDER_OPTIONS = { ...LAW_OPTIONS, lists: TEXTS, compile: OBJECT } satisfies OptionTable<OrderOptions>;

/** The maximum number of requests that each order of the files is tried with. */
const REQUESTS = 20;

/** The size of the cache of compiled orders. */
const MAX_KEPT = 8;

/**
 * Law 4: the order of files, of their rules, actions, roles and imports, and of a key's roles and permissions changes
 * only the order of reasons (docs/laws.md). `files` is the argument of `compilePolicies`; the text of a file is read as
 * YAML or JSON.
 *
 * @throws {Error} if the files do not compile
 */
export function order(
  files: readonly PolicyFile[],
  options: OrderOptions = {},
): fc.IProperty<[number, { readonly request: PlainRequest; readonly seed: number }[]]> {
  checkOptions(options, ORDER_OPTIONS);
  const given = compiled(files, options);
  // The seed 0 shuffles nothing, but names the rules that have no name, as every order does.
  const policies = compiled(reorderedFiles(files, new SeededChoices(0)), options);
  const by = options.decide ?? decide;
  // Cached because shrinking tries the same few orders again and again.
  const kept = new Map<number, PolicySet>();
  const inOrder = (seed: number): PolicySet => {
    const made = kept.get(seed) ?? compiled(reorderedFiles(files, new SeededChoices(seed)), options);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(seed, made);
    return made;
  };
  const cases = fc.record({ request: options.requests ?? requests(given), seed: fc.nat() });
  return reportable(
    fc.property(fc.nat(), fc.array(cases, { minLength: 1, maxLength: REQUESTS }), (seed, pairs) => {
      const other = inOrder(seed);
      for (const { request, seed: listSeed } of pairs) {
        const changed = reordered(request, listSeed, options);
        const one = by(policies, request);
        const two = by(other, changed);
        if (isSameExceptOrder(one, two)) continue;
        throwViolation("Order: the same policies, or the same key, in another order gave another decision.", [
          { label: "as they are", request, decision: one },
          { label: `in another order (${seed})`, request: changed, decision: two },
        ]);
      }
    }),
  );
}

function compiled(files: readonly PolicyFile[], { compile }: OrderOptions): PolicySet {
  const loaded = compilePolicies(files, compile);
  if (E.isRight(loaded)) return loaded.right;
  const issues = loaded.left.map((issue) => `${positionText(issue)} ${issue.code} ${issue.message}`);
  throw new Error(`the policies do not compile:\n${issues.join("\n")}`);
}

/** The policies in shuffled order: files renamed, so that they are read in another order, and their contents shuffled. */
function reorderedFiles(files: readonly PolicyFile[], choices: SeededChoices): readonly PolicyFile[] {
  const isPolicy = ({ path }: PolicyFile) => !path.startsWith(SCHEMA_DIRECTORY) && !CONFIGURATION_FILES.includes(path);
  const policies = choices.shuffled(files.filter(isPolicy));
  const renamed = policies.map(({ text }, i) => ({
    path: `${String(i + 1).padStart(6, "0")}.yaml`,
    text: stringify(reorderedDocument(parseDocument(text, { schema: "core", merge: true }).toJS(), choices)),
  }));
  return [...renamed, ...files.filter((file) => !isPolicy(file))];
}
