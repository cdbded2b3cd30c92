/** The values worth trying: at least one on each side of every distinction that the conditions make. */

import { isList, type JsonValue } from "../cel/json.js";
import { parseTimestamp } from "../cel/time.js";
import {
  type Dimension,
  type DynamicOperand,
  ELEMENT,
  relatedTo,
  sortOf,
  sortsOf,
  type ValuePlace,
  type ValueSort,
  type ValueSpace,
} from "./dimension.js";
import { ABSENT, CLOCK, type Draft, type DraftValue } from "./draft.js";
import { DraftEvaluator } from "./evaluator.js";
import type { QuestionSpace } from "./question-space.js";
import type { AttributeSchema } from "./schemas.js";

/** The values to try for one dimension. */
export interface DimensionChoices {
  readonly dimension: Dimension;
  /** Never empty. Values of valid requests: those of the schema, if there is one. */
  readonly values: readonly DraftValue[];
  /** Values that the schema rejects, and values of other types, as in malformed requests. */
  readonly broken: readonly DraftValue[];
}

/** The values to try for each dimension, except roles and kinds. */
export function choicesFor(asked: QuestionSpace, base: Draft): readonly DimensionChoices[] {
  const { space, schemas } = asked;
  const all = new Map([...space.dimensions].filter(([, dimension]) => isChosen(dimension)));
  const chooser = new Chooser(space, all, base);
  return [...all.values()].map((dimension) => {
    const view = dimension.subject === "resource" ? schemas.resource : schemas.principal;
    const schema = dimension.path[0] === "attr" ? view?.attribute(dimension.path.slice(1)) : undefined;
    return chooser.choices(dimension, schema);
  });
}

/** Roles and kinds belong to the question, and an element of a list has no value without its list. */
export function isChosen({ path }: ValuePlace): boolean {
  return path[0] !== "roles" && path[0] !== "kind" && !path.includes(ELEMENT);
}

/** Whether a value was made up, and stands for all values that are not mentioned. */
export function isInvented(dimension: Dimension, value: DraftValue): boolean {
  return typeof value === "string" && /_[123]$/.test(value) && !dimension.constants.has(JSON.stringify(value));
}

/** A made-up text that stands for "one of these": `accountId_1`, `accountId_2`. */
export function invented(dimension: Dimension, n: number): string {
  return `${(dimension.path.at(-1) ?? "").replaceAll(/\W/g, "_")}_${n}`;
}

const MAX_LISTED = 24;
/** Longest list or text to make for a comparison of lengths. */
const MAX_SIZED = 1_000;

class Chooser {
  private readonly all: ReadonlyMap<string, Dimension>;
  private readonly base: Draft;
  private readonly evaluator: DraftEvaluator;

  constructor(space: ValueSpace, all: ReadonlyMap<string, Dimension>, base: Draft) {
    this.all = all;
    this.base = base;
    this.evaluator = new DraftEvaluator(space.layer, space.globals);
  }

  choices(dimension: Dimension, schema: AttributeSchema | undefined): DimensionChoices {
    const members = schema?.members;
    const sorts = members === undefined ? this.sortsOf(dimension, schema) : new Set<ValueSort>();
    const values = new Map<string, DraftValue>();
    const broken = new Map<string, DraftValue>();
    const add = (value: DraftValue) => {
      const conforms = value === ABSENT ? !isRequired(dimension, schema) : fits(value, schema);
      (conforms ? values : broken).set(value === ABSENT ? "absent" : JSON.stringify(value), value);
    };
    for (const member of members ?? []) add(member);
    if (sorts.has("boolean")) for (const value of [true, false]) add(value);
    if (sorts.has("number")) for (const value of this.numbers(dimension)) add(value);
    if (sorts.has("string")) for (const value of this.texts(dimension)) add(value);
    if (sorts.has("time")) for (const value of this.times(dimension)) add(value);
    if (sorts.has("list")) for (const value of this.lists(dimension)) add(value);
    for (const value of dimension.constants.values()) if (!isSum(dimension, value)) add(value);
    if (dimension.path[0] === "attr") {
      add(ABSENT);
      for (const value of brokenFrom(values.values().next().value, members)) {
        broken.set(JSON.stringify(value), value);
      }
    }
    if (values.size === 0) values.set("", invented(dimension, 1));
    return { dimension, values: [...values.values()], broken: [...broken.values()] };
  }

  private sortsOf(dimension: Dimension, schema: AttributeSchema | undefined): ReadonlySet<ValueSort> {
    if (schema?.sort === undefined) return sortsOf(dimension, this.all);
    // For a schema, instants are texts.
    return new Set<ValueSort>(dimension.sorts.has("time") && schema.sort === "string" ? ["time"] : [schema.sort]);
  }

  private texts(dimension: Dimension): readonly string[] {
    const related = relatedTo(dimension, this.all);
    const constants = related.flatMap((one) => [
      ...one.constants.values(),
      ...(one.linked.size > 0 ? one.elements.values() : []),
    ]);
    const texts = new Set(constants.filter((value) => typeof value === "string"));
    const [leader = dimension] = related;
    for (const one of related) {
      const own = this.base.get(one);
      if (typeof own === "string" && own !== "") texts.add(own);
    }
    texts.add(invented(leader, 1));
    if (related.length > 1) texts.add(invented(leader, 2));
    for (const size of dimension.sizes) if (size <= MAX_SIZED) texts.add("x".repeat(size));
    for (const dynamic of dimension.dynamics) {
      for (const value of this.evaluated(dynamic)) if (typeof value === "string") texts.add(value);
    }
    return [...texts];
  }

  private numbers(dimension: Dimension): readonly number[] {
    const related = relatedTo(dimension, this.all).filter(({ sorts }) => !sorts.has("list"));
    const constants = related
      .flatMap((one) => [...one.constants.values()])
      .filter((value) => typeof value === "number");
    const numbers = new Set<number>();
    if (related.length > 1 || dimension.summed) {
      for (const value of [0, 1, 2, 3]) numbers.add(value);
      // Values on both sides of the current values of the related dimensions.
      for (const own of related.map((one) => this.base.get(one)).filter((value) => typeof value === "number")) {
        for (const from of [0, ...constants]) for (const near of [-1, 0, 1]) numbers.add(own + from + near);
      }
    }
    for (const value of constants) for (const near of [value - 1, value, value + 1]) numbers.add(near);
    if (numbers.size === 0) numbers.add(1);
    return [...numbers];
  }

  private times(dimension: Dimension): readonly string[] {
    const related = relatedTo(dimension, this.all);
    const clock = Date.parse(this.base.now ?? CLOCK);
    const instants = related.flatMap((one) => [...one.ages].map((seconds) => clock + seconds * 1_000));
    for (const one of related) {
      for (const value of one.constants.values()) {
        const time = typeof value === "string" ? parseTimestamp(value) : undefined;
        if (time !== undefined) for (const near of [-1, 0, 1]) instants.push((time.seconds + near) * 1_000);
      }
    }
    if (related.length > 1 || instants.length === 0) for (const hour of [0, 1]) instants.push(clock + hour * 3_600_000);
    return [...new Set(instants)].flatMap((at) => textOf(at));
  }

  private lists(dimension: Dimension): readonly (readonly JsonValue[])[] {
    const elements = new Map<string, JsonValue>(dimension.elements);
    for (const dynamic of dimension.dynamicElements) {
      for (const value of this.evaluated(dynamic)) elements.set(JSON.stringify(value), value);
    }
    for (const other of relatedTo(dimension, this.all)) {
      if (other === dimension) continue;
      for (const value of other.elements.values()) elements.set(JSON.stringify(value), value);
      if (!other.sorts.has("list"))
        for (const text of [...this.ownText(other), invented(other, 1), ...constantTexts(other)])
          elements.set(JSON.stringify(text), text);
    }
    const items = [...elements.values()].slice(0, MAX_LISTED);
    const other = invented(dimension, 1);
    const lists: (readonly JsonValue[])[] = [[], ...items.flatMap((item) => [[item], [item, other]]), [other]];
    if (items.length > 1) lists.push(items);
    for (const size of dimension.sizes)
      if (size <= MAX_SIZED) lists.push(Array.from({ length: size }, (_, i) => invented(dimension, i + 1)));
    for (const value of dimension.constants.values())
      if (isList(value)) lists.push(value, [...value, invented(dimension, 1)]);
    return lists;
  }

  private ownText(dimension: Dimension): readonly string[] {
    const own = this.base.get(dimension);
    return typeof own === "string" ? [own] : [];
  }

  /** The values of an expression now, and with each text that it reads replaced by another one. */
  private evaluated({ expr, definitions }: DynamicOperand): readonly JsonValue[] {
    const other = this.base.copy();
    for (const dimension of this.all.values()) {
      if (typeof other.get(dimension) === "string" || dimension.path[0] === "id")
        other.set(dimension, invented(dimension, 2));
    }
    return [this.base, other].flatMap((draft) => {
      const value = this.evaluator.value(expr, definitions, draft);
      return typeof value === "string" || typeof value === "number" ? [value] : [];
    });
  }
}

function constantTexts(dimension: Dimension): readonly string[] {
  return [...dimension.constants.values()].filter((value) => typeof value === "string");
}

/** A number that a sum is compared with tells nothing about a single part of the sum. */
function isSum(dimension: Dimension, value: JsonValue): boolean {
  return dimension.summed && typeof value === "number";
}

function isRequired(dimension: Dimension, schema: AttributeSchema | undefined): boolean {
  return (
    schema?.required === true || (schema?.sort === undefined && schema?.members === undefined && !dimension.tested)
  );
}

function fits(value: JsonValue, schema: AttributeSchema | undefined): boolean {
  if (schema === undefined) return true;
  const { members, sort, minimum, maximum, integer } = schema;
  if (members !== undefined) return members.some((member) => JSON.stringify(member) === JSON.stringify(value));
  if (sort !== undefined && sortOf(value) !== sort) return false;
  if (typeof value !== "number") return true;
  if (integer && !Number.isInteger(value)) return false;
  return value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity);
}

/** The values that a broken request may have in place of `value`. */
function brokenFrom(value: DraftValue | undefined, members: readonly JsonValue[] | undefined): readonly JsonValue[] {
  if (members !== undefined) return ["unheard_of", null];
  if (value === undefined || value === ABSENT) return [null];
  if (typeof value === "string") return [null, 1];
  if (typeof value === "number") return [null, String(value)];
  if (typeof value === "boolean") return [null, String(value)];
  return [null, "text", { text: true }];
}

function textOf(milliseconds: number): readonly string[] {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? [] : [date.toISOString().replace(".000Z", "Z")];
}
