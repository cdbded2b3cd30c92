/** What validators give that ajv has generated (the folders `generated`, written by `npm run validators`). */

/** Whether data is as the schema says. What is wrong with it stays in `errors` until the next call. */
export interface Validator {
  (data: unknown): boolean;
  readonly errors?: readonly SchemaError[] | null | undefined;
}

export interface SchemaError {
  readonly keyword: string;
  /** A JSON pointer to the place in the data. */
  readonly instancePath: string;
  readonly params: { readonly [name: string]: unknown };
  /** Of a key: the key. */
  readonly propertyName?: string | undefined;
  /** In words, for schemas of schemas. */
  readonly message?: string | undefined;
  /** The value at that place. */
  readonly data?: unknown;
  /** The schema that has the keyword, for the shapes of files. */
  readonly parentSchema?: unknown;
}
