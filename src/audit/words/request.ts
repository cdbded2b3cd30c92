/** Places and values of a request, in words. */

import { isList, isObject, type JsonValue } from "../../cel/json.js";
import { code, enumerate, type Phrase, phrase, text } from "./phrase.js";

const SUBJECTS: ReadonlyMap<string, string> = new Map([
  ["key", "the key"],
  ["account", "the account"],
  ["resource", "the resource"],
]);

/** A place in a request: `resource.attr.state` is the resource's `state`, `key.roles` the key's roles. */
export function placeWords(path: string): Phrase {
  const [first = "", field = "", ...rest] = path.split(".");
  const subject = SUBJECTS.get(first);
  if (path === "now") return text("the time of the decision");
  if (path === "operation") return text("the operation");
  if (subject === undefined || field === "") return code(path);
  if (field === "attr")
    return rest.length === 0 ? text(`${subject}'s attributes`) : phrase(`${subject}'s `, code(rest.join(".")));
  return text(`${subject}'s ${[field, ...rest].join(".")}`);
}

/** A value in words: JSON, except that elements of lists are enumerated. */
function valueWords(value: JsonValue): Phrase {
  if (!isList(value)) return code(JSON.stringify(value));
  if (value.length === 0) return text("an empty list");
  const all = value.map((each) => (isList(each) || isObject(each) ? code(JSON.stringify(each)) : valueWords(each)));
  return phrase("the list of ", enumerate(all, "and"));
}

/** States that a place has a value; undefined: that it has none. */
export function circumstanceWords(path: string, value: JsonValue | undefined): Phrase {
  if (value === undefined) return phrase(placeWords(path), " is not given");
  return phrase(placeWords(path), " is ", valueWords(value));
}
