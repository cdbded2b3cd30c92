/** The subjects, resources and accounts that the decision point knows by itself. */

import type { JsonObject } from "../cel/json.js";
import { expectShape } from "../schema/expect-shape.js";
import { DATA_SCHEMA } from "./schemas.js";

export interface AuthzenResource {
  readonly type: string;
  readonly id: string;
  readonly properties?: JsonObject;
}

export interface AuthzenSubject extends AuthzenResource {
  /** Default, also for an empty list: the subject's type is its role. */
  readonly roles?: readonly string[];
}

export interface AuthzenAccount {
  readonly id: string;
  readonly properties?: JsonObject;
}

/** Searches give results in the order of these lists. */
export interface AuthzenData {
  readonly subjects?: readonly AuthzenSubject[];
  readonly resources?: readonly AuthzenResource[];
  readonly accounts?: readonly AuthzenAccount[];
  /** For editors. */
  readonly $schema?: string;
}

/** Entities by type and id. */
export class EntityTable<E extends AuthzenResource> {
  private readonly types = new Map<string, Map<string, E>>();

  /** Throws a `TypeError` if two entities have one type and id. */
  constructor(what: string, entities: readonly E[]) {
    for (const entity of entities) {
      const ofType = this.types.get(entity.type) ?? new Map<string, E>();
      this.types.set(entity.type, ofType);
      if (ofType.has(entity.id)) {
        throw new TypeError(
          `the data lists the ${what} ${JSON.stringify(entity.id)} of type ${JSON.stringify(entity.type)} twice`,
        );
      }
      ofType.set(entity.id, entity);
    }
  }

  find(type: string, id: string): E | undefined {
    return this.types.get(type)?.get(id);
  }

  /** True if the data lists entities of the type. */
  hasType(type: string): boolean {
    return this.types.has(type);
  }

  /** The entities of a type, in the order of the data. */
  ofType(type: string): readonly E[] {
    return [...(this.types.get(type)?.values() ?? [])];
  }
}

export interface EntityTables {
  readonly subjects: EntityTable<AuthzenSubject>;
  readonly resources: EntityTable<AuthzenResource>;
  readonly accounts: ReadonlyMap<string, AuthzenAccount>;
}

/** Throws a `TypeError` for malformed data, with every fault. */
export function expectData(value: unknown): asserts value is AuthzenData {
  expectShape("the data", DATA_SCHEMA, value);
}

/** Throws a `TypeError` for malformed data. */
export function entityTables(data: AuthzenData): EntityTables {
  expectData(data);
  const { subjects = [], resources = [], accounts = [] } = data;
  const byId = new Map(accounts.map((account) => [account.id, account]));
  if (byId.size < accounts.length) throw new TypeError("the data lists an account twice");
  return {
    subjects: new EntityTable("subject", subjects),
    resources: new EntityTable("resource", resources),
    accounts: byId,
  };
}
