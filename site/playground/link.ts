/**
 * The state of the playground in the fragment of its address, which browsers do not send to servers. Files that are those
 * of an example are only named, so that links stay short.
 */

import type { PolicyFile } from "../../src/index.js";
import { packed, unpacked } from "./compression.js";
import type { Example } from "./example.js";

/** What a link restores. */
export interface Shared {
  readonly example: Example;
  readonly permissionOnly: boolean;
  readonly files: readonly PolicyFile[];
  /** The index of the file that is in the editor. */
  readonly open: number;
  /** The request as JSON text. */
  readonly request: string;
}

/** A message to the reader in place of a state, or beside it. */
export interface Opened {
  readonly shared?: Shared;
  readonly message?: string;
}

/** Longer addresses are cut by programs that pass them on. */
export const LONGEST = 30_000;

/** The bytes of a state, before they are packed. */
const LARGEST = 2_000_000;

const VERSION = "#1.";

/** A file by its path if it is the example's, and otherwise with its text. */
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

/** Nothing if there is no fragment. Never throws. */
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
