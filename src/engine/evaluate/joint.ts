/**
 * What decides for a plan, or for the plans of both layers together: which of their conditions hold, found out by one
 * generated function once they prove to be in use, and the verdicts that were found for the same set before.
 *
 * INVARIANT (a set says all): where every condition of a plan is evaluated and none errs, the set of those that hold
 * determines the walk, and so the verdict but for outputs that carry values of the request. Conditions that the walk does
 * not reach are in the set too; where one of them errs there is no set, and the walk itself is asked.
 *
 * The function evaluates the outputs of rules, too. What it does not decide is decided on copies, which have the values that
 * the function has read, and of the others those that closures may read. So it keeps the invariant "read once" of
 * `cel/copies.ts`, for both layers.
 */

import type { JsonMap, Timestamp } from "../../cel/values.js";
import { ALL_ASKED, type Selection } from "../generate/selection.js";
import { type BoundFunction, type HoldingFunction, NO_SET, type Part, WORD } from "../generate/written.js";
import type { JointRequest, PrincipalInput } from "../plan/subjects.js";
import type { LayerVerdict } from "../plan/verdict.js";
import type { Cell, Held } from "./cell.js";
import { ALL_NAMES, type CopiedRequest, Copier, type NamesOf, NOTHING_READ, type ReadOf, readOf } from "./copier.js";
import type { Binding, FunctionSource, Holder, Wanted } from "./equipment.js";
import { KnownSets } from "./known-sets.js";
import { type NamesRead, namesReadBy } from "./names-read.js";
import { completedBy, type Draft } from "./strict-verdict.js";
import { unreadableVerdict } from "./verdicts.js";
import { shared } from "./wanted.js";
import { isIn, wordsOf } from "./words.js";

/** The verdicts of the layers on one request. */
export interface Verdicts {
  readonly first: LayerVerdict;
  readonly second: LayerVerdict | undefined;
  /** They are the same for every request on which the same conditions hold. */
  readonly isShared: boolean;
}

/** What a set of conditions comes to. */
interface Known extends Verdicts {
  /** Where outputs are left to evaluate. */
  readonly drafts: Drafts | undefined;
}

/** The verdicts but for their outputs, and what these read. */
interface Drafts {
  readonly first: Draft;
  readonly second: Draft | undefined;
  readonly names: NamesOf;
}

/** Whose parts are bound. */
export type Binds = "principal" | "both";

const BOUND: { readonly [binds in Binds]: ReadonlySet<Part> } = {
  principal: new Set(["principal"]),
  both: new Set(["principal", "account"]),
};

const NO_CONDITIONS: HoldingFunction = () => 0;

export class Joint implements Holder {
  readonly first: Cell;
  readonly second: Cell | undefined;
  /** How many conditions both have. */
  readonly count: number;
  private readonly source: FunctionSource | undefined;
  private readonly wordCount: number;
  /** How many outputs both have, of which some are not the same for every request. */
  private readonly outputCount: number;
  private run: HoldingFunction | undefined = undefined;
  /** How functions for all related plans are asked; the others look at none. */
  selection = ALL_ASKED;
  private left: ReadonlySet<number> = new Set();
  private reads = NOTHING_READ;
  /** The functions in two stages, once somebody who is bound has asked for them; `false`: there is none to be had. */
  private bindings: { [binds in Binds]?: Binding | false } = {};
  /** What they read of the parts that are not bound. It stays known when they are taken back: another one reads the same. */
  private readonly boundReads: { [binds in Binds]?: ReadOf } = {};
  private warmUp: number;
  private waits: number;
  private readonly known = new KnownSets<Known>();
  private namesRead: NamesOf | undefined = undefined;

  /** `second`: the plan of the layer that is asked about the account. Undefined: there is one layer alone. */
  constructor(first: Cell, second: Cell | undefined) {
    this.first = first;
    this.second = second;
    this.count = first.conditions.length + (second?.conditions.length ?? 0);
    this.wordCount = Math.max(1, Math.ceil(this.count / WORD));
    this.source = first.context.source;
    this.outputCount = first.outputs.length + (second?.outputs.length ?? 0);
    this.warmUp = Math.max(1, this.source?.warmUp ?? 1);
    this.waits = this.warmUp;
    if (this.isSteady && first.context.closures.observer === undefined) this.run = NO_CONDITIONS;
  }

  /** Whether every request comes to the same. */
  get isSteady(): boolean {
    return this.count === 0 && this.outputCount === 0;
  }

  /** {@link foundOn} a request. */
  found({ key, account, resource, now }: JointRequest): unknown {
    const { kind, id, attr } = resource;
    return this.foundOn(key.id, key.roles, key.attr, account.id, account.roles, account.attr, kind, id, attr, now);
  }

  /**
   * What the function finds: the set, if that is one word and all there is to it. Anything else is for {@link verdicts}. May
   * run getters of the request.
   */
  foundOn(
    keyId: string,
    keyRoles: readonly string[],
    keyAttr: JsonMap,
    accountId: string,
    accountRoles: readonly string[],
    accountAttr: JsonMap,
    kind: string,
    id: string,
    attr: JsonMap,
    now: Timestamp | undefined,
  ): unknown {
    // Here, and not when the closures have decided, so that what was generated ahead of time decides from the first.
    if (this.run === undefined && this.waits > 0 && --this.waits === 0) this.generate();
    const { run } = this;
    if (run === undefined) return undefined;
    try {
      return run(this.selection, keyId, keyRoles, keyAttr, accountId, accountRoles, accountAttr, kind, id, attr, now);
    } catch {
      // A getter that throws: what can be read is read anew.
      return undefined;
    }
  }

  /**
   * The verdicts that follow from what a function has found. Never throws: what cannot be evaluated is denied. `binds`: to
   * whom that function was bound.
   */
  verdicts(found: unknown, request: JointRequest, binds?: Binds): Verdicts {
    const words = this.setIn(found);
    const known =
      words !== undefined && (binds !== undefined || this.left.size === 0) ? this.knownOf(words) : undefined;
    if (known !== undefined && known.drafts === undefined) return known;
    const { drafts } = known ?? {};
    const whole = drafts !== undefined && isList(found) ? this.completedBy(drafts, found) : undefined;
    if (whole !== undefined) return whole;
    const { first, second } = this;
    const copy = this.copier(drafts?.names ?? this.names, found, binds).request(request);
    const held = (from: number): Held | undefined =>
      words && ((condition) => (this.left.has(from + condition) ? undefined : isIn(words, from + condition)));
    return {
      isShared: false,
      first: verdictOn(first, copy, copy.key, drafts?.first ?? held(0)),
      second: second && verdictOn(second, copy, copy.account, drafts?.second ?? held(first.conditions.length)),
    };
  }

  /** The verdicts with the outputs whose values were found; undefined if one was not. */
  private completedBy(drafts: Drafts, found: readonly unknown[]): Verdicts | undefined {
    const { first, second, wordCount } = this;
    const one = completedBy(drafts.first, first.action, found, wordCount);
    const from = wordCount + first.outputs.length;
    const other = second && drafts.second && completedBy(drafts.second, second.action, found, from);
    if (one === undefined || (other === undefined && second !== undefined)) return undefined;
    return { isShared: false, first: one, second: other };
  }

  /** The set that was found: its words; undefined if there is none. */
  private setIn(found: unknown): readonly number[] | undefined {
    if (typeof found === "number") return [found];
    if (!isList(found)) return undefined;
    return areWords(found, this.wordCount) ? found : undefined;
  }

  private knownOf(words: readonly number[]): Known {
    const { wordCount } = this;
    const known = this.known.get(words, wordCount);
    if (known !== undefined) return known;
    const made = this.learned(words);
    this.known.set(words, wordCount, made);
    return made;
  }

  private learned(words: readonly number[]): Known {
    const { length } = this.first.conditions;
    const first = this.first.draft(part(words, 0, length));
    const second = this.second?.draft(part(words, length, this.count));
    const isWhole = first.pending.length === 0 && (second === undefined || second.pending.length === 0);
    const names = (draft: Draft) => namesReadBy(draft.pending);
    const drafts = isWhole ? undefined : { first, second, names: namesOf(names(first), second && names(second)) };
    return { first: first.verdict, second: second?.verdict, isShared: isWhole, drafts };
  }

  /** A copy of a request, for whoever evaluates expressions of the plans; `isWhole`: with all there is in it. */
  copied(request: JointRequest, isWhole: boolean): CopiedRequest {
    return new Copier(isWhole ? ALL_NAMES : this.names, NOTHING_READ, undefined).request(request);
  }

  /** What makes copies for closures, of what the function has read and what it has not. */
  private copier(names: NamesOf, found: unknown, binds: Binds | undefined): Copier {
    // Beside the words of a set stands nothing where nothing remains to be done.
    const values = isList(found) && found.length > this.wordCount ? found : undefined;
    const reads = binds === undefined ? this.reads : this.boundReads[binds];
    const read = (values && reads) ?? NOTHING_READ;
    return new Copier(names, read, values, binds && BOUND[binds]);
  }

  /** What closures of either layer may read. */
  private get names(): NamesOf {
    this.namesRead ??= namesOf(this.first.reads, this.second?.reads);
    return this.namesRead;
  }

  /** Whether a function for these plans can be in two stages: its set is one word, and all that there is to it. */
  get isBindable(): boolean {
    return this.outputCount === 0 && this.count <= WORD;
  }

  /** Whether these plans are to have a function once they have been asked some more. */
  get awaitsFunction(): boolean {
    return this.run === undefined && this.waits > 0;
  }

  /**
   * The function for a principal, or for a principal and an account, and what their parts come to, which it is to be given:
   * they are copies that nobody changes. Undefined where there is none to be had, and as long as these plans have not
   * proved to be in use. `before`: what their parts have come to for a function, if that is known.
   */
  boundTo(
    binds: Binds,
    principal: PrincipalInput,
    account: PrincipalInput,
    before: (run: BoundFunction) => object | undefined = () => undefined,
  ): Bound | undefined {
    if (this.run === undefined || this.left.size > 0 || !this.isBindable) return undefined;
    const known = this.bindings[binds];
    const binding = known ?? this.binding(binds) ?? false;
    this.bindings[binds] = binding;
    if (binding === false) return undefined;
    const { bind, run } = binding.stages;
    try {
      const { id, roles, attr } = account;
      const bound = before(run) ?? bind(principal.id, principal.roles, principal.attr, id, roles, attr);
      return bound && { run, bound };
    } catch {
      return undefined;
    }
  }

  private binding(binds: Binds): Binding | undefined {
    const holder = { release: () => this.unbind(binds) };
    const made = this.wantedOne((wanted) => this.source?.bindingFor?.(wanted, BOUND[binds], holder));
    if (made !== undefined) this.boundReads[binds] = readOf(made.reads, this.wordCount);
    return made;
  }

  private unbind(binds: Binds): void {
    delete this.bindings[binds];
  }

  /** The function is taken back. One is made again if these plans are in use for longer than they were before. */
  release(): void {
    // What it leaves and reads stays known: one of its runs may be under way, and another one does the same.
    this.run = undefined;
    this.warmUp *= 2;
    this.waits = this.warmUp;
  }

  /** What a function for these plans alone would be for. */
  get wanted(): Wanted {
    const first = this.first.wanted;
    const second = this.second?.wanted;
    if (second === undefined) return { layers: [first], some: undefined };
    // What one schema declares is declared once, though each layer has read it.
    const isSame = second.types.resource !== undefined && second.schemas.resource === first.schemas.resource;
    const resource = isSame ? (first.types.resource ?? second.types.resource) : second.types.resource;
    return { layers: [first, { ...second, types: { ...second.types, resource } }], some: undefined };
  }

  /** What one for all related plans would be for; undefined if these have more than that. */
  get wantedByAll(): Wanted | undefined {
    const { first, second } = this;
    const related = second === undefined ? [first.related] : [first.related, second.related];
    return this.outputCount === 0 ? shared(this.wanted, related) : undefined;
  }

  private generate(): void {
    const made = this.wantedOne((wanted) => this.source?.functionFor(wanted, this));
    if (made === undefined) return;
    this.run = made.run;
    this.left = new Set(made.left);
    this.reads = readOf(made.reads, this.wordCount + this.outputCount);
  }

  /** The function for all related plans, or, where there is none, the one for these alone. */
  private wantedOne<T extends { readonly selection?: Selection | undefined }>(
    find: (wanted: Wanted) => T | undefined,
  ): T | undefined {
    const { wantedByAll } = this;
    const made = wantedByAll && find(wantedByAll);
    if (made === undefined) return find(this.wanted);
    this.selection = made.selection ?? this.selection;
    return made;
  }
}

/** The function for somebody who is bound, and what it is to be given. */
interface Bound {
  readonly run: BoundFunction;
  readonly bound: object;
}

function namesOf(first: NamesRead, second: NamesRead | undefined): NamesOf {
  const { principal, resource } = first;
  if (second === undefined) return { principal, account: [], resource };
  const both = resource && second.resource && [...new Set([...resource, ...second.resource])];
  return { principal, account: second.principal, resource: both };
}

/** What a layer says of what can be read; `known`: see {@link Cell.verdict}. */
function verdictOn(
  cell: Cell,
  { resource, now }: CopiedRequest,
  principal: PrincipalInput | undefined,
  known: Draft | Held | undefined,
): LayerVerdict {
  if (typeof known === "object" && known.pending.length === 0) return known.verdict;
  if (principal === undefined || resource === undefined) return unreadableVerdict();
  return cell.verdict(principal, resource, now, known);
}

/** Some of the conditions of a set, as a set of their own. */
function part(words: readonly number[], from: number, to: number): readonly number[] {
  return wordsOf(to - from, (i) => isIn(words, from + i)) ?? words;
}

/** Whether so many of a list are the words of a set. */
function areWords(found: readonly unknown[], count: number): found is readonly number[] {
  for (let i = 0; i < count; i++) if (typeof found[i] !== "number") return false;
  return found[0] !== NO_SET;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
