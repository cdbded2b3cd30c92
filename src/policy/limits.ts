/**
 * Limits on policy files. A file beyond a limit is refused with code `too_large`. People write far smaller files, and far
 * larger ones would stall a process.
 */

/** Characters of one file; bytes, where a directory is read. */
export const MAX_FILE_SIZE = 4 * 1024 * 1024;

/** Characters of all files together. */
export const MAX_TOTAL_SIZE = 256 * 1024 * 1024;

export const MAX_FILES = 100_000;

/** Bytes of a lock: a line for each of {@link MAX_FILES}, with long paths. */
export const MAX_LOCK_SIZE = 32 * 1024 * 1024;

/** Documents of one file, the empty ones between two `---` included. One of them may have contents. */
export const MAX_DOCUMENTS = 1_000;

/** Depth of nested mappings and sequences. A condition within a condition takes four levels. */
export const MAX_NESTING = 256;

/** Aliases (`*name`) in one document. */
export const MAX_ALIASES = 1_000;

/** Nodes of one document after its aliases are resolved. */
export const MAX_NODES = 500_000;

/** Reported errors of one file. If there are more, one further error says so. */
export const MAX_ERRORS_PER_FILE = 200;

/** Characters of one glob. Matching takes time proportional to this length times that of the text. */
export const MAX_GLOB_LENGTH = 1_000;

/** Levels of a policy's scope. Each level needs a policy of its own, or is reported as missing. */
export const MAX_SCOPE_DEPTH = 64;
