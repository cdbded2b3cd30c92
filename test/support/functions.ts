/** What generated functions find: told to tests, which have to know that it was they who decided. */

import { Asked } from "../../src/decisions/pair.js";
import { Joint } from "../../src/engine/evaluate/joint.js";

/** Whether a function has found a set of conditions. */
export function isSet(found: unknown): boolean {
  return typeof found === "number" || (Array.isArray(found) && found[0] !== -1);
}

/** Whether a function has evaluated outputs: their values stand between the words and what was read, which is left out. */
function hasValues({ count, first, second }: Joint, said: unknown): boolean {
  const words = Math.max(1, Math.ceil(count / 50));
  const outputs = first.outputs.length + (second?.outputs.length ?? 0);
  if (!Array.isArray(said) || !isSet(said) || said.length !== words + outputs) return false;
  return said.slice(words).some((value) => value !== undefined);
}

/** Tells `note` of each question that a generated function was asked. Returns what ends it. */
export function watchFunctions(note: (joint: Joint, isFound: boolean, hasValues: boolean) => void): () => void {
  const { foundOn } = Joint.prototype;
  Joint.prototype.foundOn = function (this: Joint, ...given) {
    const said = foundOn.apply(this, given);
    if (this.count > 0 && said !== undefined) note(this, isSet(said), hasValues(this, said));
    return said;
  };
  return () => {
    Joint.prototype.foundOn = foundOn;
  };
}

/** The same of decisions: whether a function was asked that is bound to somebody, and whether it has found a set. */
export function watchDecisions(note: (isBound: boolean, isFound: boolean) => void): () => void {
  const { readyFor } = Asked.prototype;
  const { foundOn } = Joint.prototype;
  // One that is bound to nobody is asked by its joint.
  let isBound = true;
  Joint.prototype.foundOn = function (this: Joint, ...given) {
    isBound = false;
    return foundOn.apply(this, given);
  };
  Asked.prototype.readyFor = function (this: Asked, said) {
    note(isBound, isSet(said));
    isBound = true;
    return readyFor.call(this, said);
  };
  return () => {
    Asked.prototype.readyFor = readyFor;
    Joint.prototype.foundOn = foundOn;
  };
}
