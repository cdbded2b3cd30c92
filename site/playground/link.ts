/**
 * Stores the playground's state in the fragment of its address, which browsers do not send to servers. An unchanged file
 * of an example is stored as its path alone, which keeps links short.
 */

import type { PolicyFile } from "../../src/index.js";
import { packed, unpacked } from "./compression.js";
import type { Example } from "./example.js";

/** The state that a link restores. */
export interface Shared {
  readonly example: Example;
  readonly permissionOnly: boolean;
  readonly files: readonly PolicyFile[];
  /** The index of the open file. */
  readonly open: number;
  /** The request as JSON text. */
  readonly request: string;
}

/** A state, a message to the reader, or both. */
export interface Opened {
  readonly shared?: Shared;
  readonly message?: string;
}

/** The limit for a fragment in characters: programs that pass addresses on truncate longer ones. */
export const LONGEST = 30_000;

/** The limit for an unpacked state in bytes. */
const LARGEST = 2_000_000;

const VERSION = "#1.";

/** The path of a file if the file is the example's; otherwise its path and text. */
type FileLink = string | readonly [path: string, text: string];

interface Link {
  readonly example: string;
  readonly permissionOnly: boolean;
  readonly files: readonly FileLink[];
  readonly open: number;
  readonly request: string;
}

export async function fragmentOf({ example, permissionOnly, files, open, request }: Shared): Promise<string> {
  const texts = new Map(example.files.map(({ path, text }) => [path, text]));
  const named = files.map(({ path, text }): FileLink => (texts.get(path) === text ? path : [path, text]));
  const link: Link = { example: example.id, permissionOnly, files: named, open, request };
  return VERSION + (await packed(JSON.stringify(link)));
}

/** Returns an empty object if there is no fragment. Never throws. */
export async function openFragment(fragment: string, examples: readonly Example[]): Promise<Opened> {
  if (fragment === "" || fragment === "#") return {};
  if (fragment.length > LONGEST) return failed(`it is longer than ${LONGEST.toLocaleString("en")} characters`);
  if (!fragment.startsWith(VERSION)) return failed("it was not made by this playground");
  try {
    const link: unknown = JSON.parse(await unpacked(fragment.slice(VERSION.length), LARGEST));
    return isLink(link) ? restored(link, examples) : failed("it does not hold policies and a request");
  } catch {
    return failed("it is damaged or incomplete");
  }
}

function failed(why: string): Opened {
  return { message: `This link cannot be opened: ${why}. You see the first example.` };
}

function restored({ example: id, permissionOnly, files: named, open, request }: Link, examples: readonly Example[]) {
  const [name] = id.split("@");
  const example = examples.find((one) => one.id.startsWith(`${name}@`));
  if (example === undefined) return failed("its example policies are no longer here");
  const texts = new Map(example.files.map(({ path, text }) => [path, text]));
  const files = named.flatMap((file): PolicyFile[] => {
    if (typeof file !== "string") return [{ path: file[0], text: file[1] }];
    const text = texts.get(file);
    return text === undefined ? [] : [{ path: file, text }];
  });
  const shared: Shared = { example, permissionOnly, files, open, request };
  if (example.id === id) return { shared };
  const message =
    "The example policies have changed since this link was made. Files that the link does not change are shown as they are now.";
  return { shared, message };
}

function isLink(value: unknown): value is Link {
  return (
    typeof value === "object" &&
    value !== null &&
    "example" in value &&
    typeof value.example === "string" &&
    "permissionOnly" in value &&
    typeof value.permissionOnly === "boolean" &&
    "files" in value &&
    Array.isArray(value.files) &&
    value.files.every(isFileLink) &&
    "open" in value &&
    Number.isSafeInteger(value.open) &&
    "request" in value &&
    typeof value.request === "string"
  );
}

function isFileLink(value: unknown): value is FileLink {
  if (typeof value === "string") return true;
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string");
}
