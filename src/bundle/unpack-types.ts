/** Reads attribute types that `pack-types.ts` wrote. */

import type { AttributeDeclarations, TypeDeclaration } from "../cel/type-declaration.js";
import type { TypeDeclarationData } from "../cel/type-declaration-data.js";
import type { CelValue, JsonScalar } from "../cel/values.js";
import { equal } from "../schema/values.js";
import type { PackedTypes } from "./packed.js";

export class UnpackedAttributeTypes implements AttributeDeclarations {
  private readonly types: ReadonlyMap<string, TypeDeclaration | undefined>;

  constructor(packed: NonNullable<PackedTypes>) {
    this.types = new Map(packed.map(([ref, type]) => [ref, declared(type)]));
  }

  at(ref: string): TypeDeclaration | undefined {
    return this.types.get(ref);
  }
}

function declared(packed: TypeDeclarationData): TypeDeclaration | undefined {
  return packed === null ? undefined : new UnpackedTypeDeclaration(packed);
}

class UnpackedTypeDeclaration implements TypeDeclaration {
  readonly kinds: number;
  readonly scalars: ReadonlySet<JsonScalar> | undefined;
  readonly listed: readonly CelValue[];
  readonly isListed: ((value: CelValue) => boolean) | undefined;
  readonly hasParts: boolean;
  readonly words: string;
  readonly items: TypeDeclaration | undefined;
  readonly names: ReadonlySet<string>;
  readonly nullable: ReadonlySet<string>;
  private readonly members: ReadonlyMap<string, TypeDeclaration | undefined>;
  private readonly others: TypeDeclaration | undefined;

  constructor(packed: NonNullable<TypeDeclarationData>) {
    const [kinds, words, hasParts, scalars, listed, items, others, members, nullable] = packed;
    this.kinds = kinds;
    this.words = words;
    this.hasParts = hasParts;
    this.scalars = scalars === null ? undefined : new Set(scalars);
    this.listed = listed;
    this.isListed = listed.length === 0 ? undefined : (value) => listed.some((one) => equal(value, one));
    this.items = declared(items);
    this.others = declared(others);
    this.members = new Map(members.map(([name, type]) => [name, declared(type)]));
    this.names = new Set(this.members.keys());
    this.nullable = new Set(nullable);
  }

  member(name: string | undefined): TypeDeclaration | undefined {
    return name !== undefined && this.members.has(name) ? this.members.get(name) : this.others;
  }
}
