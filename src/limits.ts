/**
 * The limits of requests and of policies. The tables of `docs/embedding.md` show them, apart from those below the last
 * heading; `test/package/limits.test.ts` compares.
 */

// One decision. Work is counted in steps, never in time.

/** Steps that one layer may spend on one decision, and on the outputs of one decision. */
export const STEP_BUDGET = 100_000;

/** Longest id, kind, operation or role, in UTF-16 code units. */
export const MAX_NAME_LENGTH = 4_096;

/** Most roles of one key. */
export const MAX_ROLES = 1_000;

/** Steps, of some 100 ns, for matching the action and the roles of a question against the patterns of policies. */
export const MAX_MATCHING_STEPS = 200_000;

/** Pairs of a role and a rule that applies to it. */
export const MAX_ROWS = 10_000;

/** The most values of one request. A request with more is unreadable; a longer list is not data. */
export const MAX_VALUES = 100_000;

/** A member of a large map counts as this many values, so a request may have 5,000 of them. */
export const LARGE_MEMBER = 20;

/** Comparing lists and maps nested deeper than this is an error. */
export const MAX_COMPARED_DEPTH = 256;

/**
 * The step budget of one validation. A keyword, a member, an item, or 32 characters of a text costs a step. Schemas
 * within schemas multiply, so neither the size of a schema nor that of a value bounds the work.
 */
export const VALIDATION_BUDGET = 100_000;

// Policy files. A file beyond a limit is refused with code `too_large`. People write far smaller files, and far larger
// ones would stall a process.

/** Characters of one file; bytes, where a directory is read. */
export const MAX_FILE_SIZE = 4 * 1024 * 1024;

/** Characters of all files together. */
export const MAX_TOTAL_SIZE = 256 * 1024 * 1024;

export const MAX_FILES = 100_000;

/** Documents of one file, the empty ones between two `---` included. One of them may have contents. */
export const MAX_DOCUMENTS = 1_000;

/** Depth of nested mappings and sequences. A condition within a condition takes four levels. */
export const MAX_NESTING = 256;

/** Aliases (`*name`) in one document. */
export const MAX_ALIASES = 1_000;

/** Nodes of one document after its aliases are resolved. */
export const MAX_NODES = 500_000;

/**
 * Length of an expression's source text, in UTF-16 code units. Any text of this length is parsed (or refused) and
 * checked within 0.3 s (measured: 0.1-0.2 s; Cerbos accepts 100,000 code points).
 */
export const MAX_EXPRESSION_LENGTH = 32 * 1024;

/** Depth of nested brackets in the source text, and of the tree. */
export const MAX_EXPRESSION_DEPTH = 200;

/** Characters of one glob. Matching takes time proportional to this length times that of the text. */
export const MAX_GLOB_LENGTH = 1_000;

// Limits that no reasonable policy meets.

/** Bytes of a lock: a line for each of {@link MAX_FILES}, with long paths. */
export const MAX_LOCK_SIZE = 32 * 1024 * 1024;

/** Reported errors of one file. If there are more, one further error says so. */
export const MAX_ERRORS_PER_FILE = 200;

/** Levels of a policy's scope. Each level needs a policy of its own, or is reported as missing. */
export const MAX_SCOPE_DEPTH = 64;
