/** Turns a filter into the condition of a query. */

import * as E from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import type { Filter, FilterTerm, FilterTest } from "../engine/residual/filter.js";
import { checkArgument } from "../policy/options.js";
import { type SqlPathResolver, type SqlPlace, type SqlTestCondition, WiderCondition } from "./dialect.js";
import {
  checkMapping,
  type SqlColumn,
  type SqlMapping,
  type SqlMappingIssue,
  type SqlRelation,
  unknownColumns,
} from "./mapping.js";
import { POSTGRES } from "./postgres.js";
import { type RelationDialect, relationPlace } from "./relations.js";
import { ALIAS, FALSE, joinedSql, Parameter, quotedIdentifier, type Sql, sql, TRUE } from "./sql-pieces.js";
import { SQLITE } from "./sqlite.js";

/** A condition for `WHERE`, in parentheses. */
export interface SqlCondition {
  /** SQL with a placeholder (`$1` or `?`) for each value. */
  readonly text: string;
  readonly values: readonly (string | number | boolean)[];
  /** The text between the values, in the form of a template: `sql(strings, ...values)` of Drizzle or Kysely. */
  readonly strings: TemplateStringsArray;
  /**
   * Whether the query finds exactly the rows that `decide` allows. Otherwise it finds these and others, because the
   * database cannot express the whole filter. Then decide on each row that is found (`decideAll`).
   */
  readonly isExact: boolean;
}

/** Most values in a query. A filter with more becomes `WHERE TRUE`, which is not exact. */
const MAX_VALUES = 30_000;

const FILTER = {
  has: (value: unknown) => typeof value === "object" && value !== null && "op" in value,
  said: "the `filter` of a plan",
};

/**
 * The condition for a filter (`plan.filter`) on a table. Left: each attribute that the filter needs and the mapping has
 * no usable column for, and each column with an unknown type or meaning of `NULL`. Throws a `TypeError` for another
 * dialect, for a field that a mapping does not have, and for a number of a parameter that is not a whole one from 1.
 *
 * If the database cannot express a part of the filter, the condition is wider, and `isExact` is false. No text of a
 * policy or a key becomes SQL, by the invariant "values apart". Names in the SQL come only from the mapping.
 *
 * `firstParameter`: the number of the first `$n` in PostgreSQL, for a condition in a statement that has other values.
 * Default: 1.
 */
export function toSql(
  filter: Filter,
  mapping: SqlMapping,
  firstParameter = 1,
): E.Either<NonEmptyArray<SqlMappingIssue>, SqlCondition> {
  checkArgument("filter", filter, FILTER);
  checkMapping(mapping);
  if (!Object.hasOwn(DIALECTS, mapping.dialect)) throw new TypeError("the dialect must be postgres or sqlite");
  if (!Number.isSafeInteger(firstParameter) || firstParameter < 1) {
    throw new TypeError("the first parameter must be a whole number from 1");
  }
  const [unknown, ...unknowns] = unknownColumns(mapping);
  if (unknown !== undefined) return E.left([unknown, ...unknowns]);
  const writer = new SqlConditionWriter(mapping, new Set(nullableIn(filter)));
  const made = writer.condition(filter);
  const [first, ...rest] = writer.issues.values();
  if (first !== undefined) return E.left([first, ...rest]);
  const { strings, values } = flattened(sql`(${made})`);
  if (values.length > MAX_VALUES) return E.right(UNFILTERED_CONDITION);
  const placeholder = (i: number) => (mapping.dialect === "postgres" ? `$${i + firstParameter}` : "?");
  const text = strings.map((part, i) => (i < values.length ? part + placeholder(i) : part)).join("");
  return E.right({ text, values, strings: template(strings), isExact: !writer.isWider });
}

/** Libraries tell a template from an array by `raw` alone. */
function template(strings: readonly string[]): TemplateStringsArray {
  return Object.assign([...strings], { raw: strings });
}

const UNFILTERED_CONDITION: SqlCondition = {
  text: "(TRUE)",
  values: [],
  strings: template(["(TRUE)"]),
  isExact: false,
};

/** {@link toSql} for programs with a mapping known to be right. Throws an `Error` that lists the gaps of the mapping. */
export function toSqlOrThrow(filter: Filter, mapping: SqlMapping, firstParameter = 1): SqlCondition {
  const made = toSql(filter, mapping, firstParameter);
  if (E.isRight(made)) return made.right;
  throw new Error(made.left.map(({ message }) => message).join("; "));
}

const DIALECTS: { readonly [dialect in SqlMapping["dialect"]]: RelationDialect } = {
  postgres: POSTGRES,
  sqlite: SQLITE,
};

class SqlConditionWriter {
  readonly issues = new Map<string, SqlMappingIssue>();
  /** Whether a part of the filter was left out. */
  isWider = false;
  private readonly mapping: SqlMapping;
  private readonly nullable: ReadonlySet<string>;
  private aliases = 0;

  constructor(mapping: SqlMapping, nullable: ReadonlySet<string>) {
    this.mapping = mapping;
    this.nullable = nullable;
  }

  /** `item` is the element of the nearest `some` or `every`. */
  condition(filter: Filter, item?: SqlPathResolver): Sql {
    switch (filter.op) {
      case "all":
        return this.join(filter.of, " AND ", TRUE, item);
      case "any":
        return this.join(filter.of, " OR ", FALSE, item);
      case "not": {
        const wasWider = this.isWider;
        this.isWider = false;
        const test = this.test(filter.of, item);
        // The negation of a condition that is too wide would be too narrow.
        if (test === undefined || test instanceof WiderCondition || this.isWider) return this.wider();
        this.isWider = wasWider;
        return test === FALSE ? TRUE : test === TRUE ? FALSE : sql`(${test}) IS NOT TRUE`;
      }
      case "unknown":
        return this.wider();
      default:
        return this.wider(this.test(filter, item));
    }
  }

  private join(parts: readonly Filter[], by: string, none: string, item: SqlPathResolver | undefined): Sql {
    if (parts.length === 0) return none;
    return joinedSql(
      parts.map((part) => {
        const made = this.condition(part, item);
        return part.op === "any" && part.of.length > 1 ? sql`(${made})` : sql`${made}`;
      }),
      by,
    );
  }

  private wider(said?: SqlTestCondition): Sql {
    if (said !== undefined && !(said instanceof WiderCondition)) return said;
    this.isWider = true;
    return said?.sql ?? TRUE;
  }

  private test(test: FilterTest, item: SqlPathResolver | undefined): SqlTestCondition {
    if (test.op === "expression") return undefined;
    const place = this.place(test.term, item);
    if (place === undefined) return undefined;
    switch (test.op) {
      case "present":
        return test.isJson ? place.readable() : place.present();
      case "type":
        return place.type(test.types);
      case "in":
        return place.isIn(test.values);
      case "same": {
        const other = this.place(test.other, item);
        return other && place.same(other);
      }
      case "order":
        return place.order(test.symbol, test.value);
      case "includes":
        return place.includes(test.value);
      case "text":
        return place.text(test.how, test.value);
      case "size":
        return place.size(test.symbol, test.value);
      case "some":
      case "every": {
        const each = place.each(test.over, this.alias());
        return each?.quantified(test.op, this.condition(test.where, each.element));
      }
    }
  }

  private place({ of, path }: FilterTerm, item: SqlPathResolver | undefined): SqlPlace | undefined {
    const { id, attributes = {}, others, dialect } = this.mapping;
    if (of === "item") return item?.(path);
    const { placeOf } = DIALECTS[dialect];
    if (of === "id") {
      if (id === undefined) return this.lacks("", "the mapping has no column for the id");
      return placeOf(this.column(id), { column: id, type: "text", null: "never" })?.(path);
    }
    const [name = "", ...below] = path;
    const kept = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    if (kept !== undefined)
      return this.below(name, this.nullable.has(name) ? { null: "null", ...kept } : kept)?.(below);
    if (others === undefined) return this.lacks(name, `the mapping has no column for the attribute ${shown(name)}`);
    return placeOf(this.column(others), { column: others, type: "json", null: "never" })?.(path);
  }

  private below(name: string, kept: SqlColumn | SqlRelation): SqlPathResolver | undefined {
    const { dialect, table } = this.mapping;
    if ("column" in kept) {
      const lacks = `the column of the attribute ${shown(name)} is of the type ${kept.type}, which ${dialect} has not`;
      return DIALECTS[dialect].placeOf(this.column(kept.column), kept) ?? this.lacks(name, lacks);
    }
    if (table === undefined) {
      return this.lacks(name, `the attribute ${shown(name)} is in another table, so the mapping has to name its own`);
    }
    if (Object.keys(kept.on).length === 0) {
      return this.lacks(
        name,
        `the relation does not say which rows of the other table belong to the attribute ${shown(name)} has`,
      );
    }
    return (
      relationPlace(kept, (column) => this.column(column), this.alias(), DIALECTS[dialect]) ??
      this.lacks(name, `the attribute ${shown(name)} has a column of a type that ${dialect} has not`)
    );
  }

  /** An alias that is unique in the condition. */
  private alias(): string {
    return quotedIdentifier(`${ALIAS}${++this.aliases}`);
  }

  private column(name: string): Sql {
    const { table } = this.mapping;
    return table === undefined ? quotedIdentifier(name) : `${quotedIdentifier(table)}.${quotedIdentifier(name)}`;
  }

  private lacks(attribute: string, message: string): undefined {
    this.issues.set(attribute, { attribute, message });
    return undefined;
  }
}

/**
 * The attributes that a schema of either layer requires and lets be null. A column has the same meaning for both layers.
 */
function nullableIn(filter: Filter): readonly string[] {
  switch (filter.op) {
    case "all":
    case "any":
      return filter.of.flatMap(nullableIn);
    case "not":
      return nullableIn(filter.of);
    case "unknown":
    case "expression":
      return [];
    default: {
      const terms = filter.op === "same" ? [filter.term, filter.other] : [filter.term];
      const own = terms.flatMap(({ path: [name], isNullable }) => (isNullable && name !== undefined ? [name] : []));
      return "where" in filter ? [...own, ...nullableIn(filter.where)] : own;
    }
  }
}

function shown(name: string): string {
  return JSON.stringify(name);
}

function flattened(whole: Sql): { readonly strings: readonly string[]; readonly values: SqlCondition["values"] } {
  const strings = [""];
  const values: (string | number | boolean)[] = [];
  const add = (part: Sql): void => {
    if (part instanceof Parameter) {
      values.push(part.value);
      strings.push("");
    } else if (typeof part === "string") strings.push((strings.pop() ?? "") + part);
    else for (const one of part) add(one);
  };
  add(whole);
  return { strings, values };
}
