/** Single changes to a request that policies can tell. */

import { isList, type JsonValue } from "../../cel/json.js";
import type { Layer } from "../../space/dimension.js";
import { ABSENT, type Draft, type Value } from "../../space/draft.js";
import type { Asked } from "../../space/question.js";
import { UNNAMED_ROLE } from "../../space/questions.js";
import { choicesFor, isInvented } from "../../space/values.js";

/** A change of one value of a request. */
export interface Edit {
  /** `set`: the value becomes this; `unset`: the attribute is left out; `add`, `remove`: an element of a list. */
  readonly action: "set" | "unset" | "add" | "remove";
  /** Where in the request: `resource.attr.state`, `key.roles`. */
  readonly path: string;
  readonly value?: JsonValue;
  /** The value stands for any other that the policies do not mention. */
  readonly invented: boolean;
}

/** An edit, and how to make it. */
export interface OpenEdit extends Edit {
  readonly layer: Layer;
  apply(draft: Draft): void;
}

const ROLES = { subject: "key", path: ["roles"] } as const;

/** Every edit that the rules of a layer can tell, those of the principal first. */
export function editsOf(asked: Asked, draft: Draft): readonly OpenEdit[] {
  const { layer } = asked.space;
  const edits: OpenEdit[] = layer === "permission" ? [...roleEdits(asked, draft)] : [];
  for (const { dimension, values } of choicesFor(asked, draft)) {
    // What is inside a value that is no map cannot be edited by itself.
    if (!draft.isOpen(dimension)) continue;
    const current = draft.get(dimension);
    const isElementwise = values.some((value) => value !== ABSENT && isList(value));
    const list = isList(current) ? current : [];
    if (isElementwise && isList(current)) {
      const elements = new Map(
        values.flatMap((value) =>
          value !== ABSENT && isList(value) ? value.map((item) => [JSON.stringify(item), item] as const) : [],
        ),
      );
      const others = [...elements].filter(([text]) => !list.some((one) => JSON.stringify(one) === text));
      const named = others.filter(([, item]) => !isInvented(dimension, item));
      // One that stands for all others: that there is any may matter.
      const [other] = others.filter(([, item]) => isInvented(dimension, item));
      for (const [, item] of other === undefined ? named : [...named, other]) {
        const added = edit(layer, "add", dimension.id, item, (d) => d.set(dimension, [...list, item]));
        edits.push({ ...added, invented: item === other?.[1] });
      }
      list.forEach((item, i) => {
        edits.push(edit(layer, "remove", dimension.id, item, (d) => d.set(dimension, list.toSpliced(i, 1))));
      });
      for (const value of dimension.constants.values()) {
        if (!isList(value) || JSON.stringify(value) === JSON.stringify(current)) continue;
        edits.push(edit(layer, "set", dimension.id, value, (d) => d.set(dimension, value)));
      }
      continue;
    }
    for (const value of typeof current === "number" ? nearest(values, current) : values) {
      if (value === ABSENT) {
        if (current === ABSENT) continue;
        edits.push({
          layer,
          action: "unset",
          path: dimension.id,
          invented: false,
          apply: (d) => d.set(dimension, ABSENT),
        });
      } else if (JSON.stringify(value) !== JSON.stringify(current)) {
        const invented = isInvented(dimension, value);
        edits.push({ ...edit(layer, "set", dimension.id, value, (d) => d.set(dimension, value)), invented });
      }
    }
  }
  const own = (path: string) => (path.startsWith("resource.") ? 1 : 0);
  return edits.sort((a, b) => own(a.path) - own(b.path));
}

function* roleEdits({ roles }: Asked, draft: Draft): Generator<OpenEdit> {
  const held = draft.key.roles;
  for (const role of roles) {
    if (held.includes(role) || role === UNNAMED_ROLE) continue;
    yield edit("permission", "add", "key.roles", role, (d) => d.set(ROLES, [...d.key.roles, role]));
  }
  for (const role of held.length > 1 ? held : []) {
    yield edit("permission", "remove", "key.roles", role, (d) =>
      d.set(
        ROLES,
        d.key.roles.filter((one) => one !== role),
      ),
    );
  }
}

function edit(
  layer: Layer,
  action: Edit["action"],
  path: string,
  value: JsonValue,
  apply: (draft: Draft) => void,
): OpenEdit {
  return { layer, action, path, value, invented: false, apply };
}

/** Numbers in the order of their distance. */
function nearest(values: readonly Value[], current: number): readonly Value[] {
  const distance = (value: Value) => (typeof value === "number" ? Math.abs(value - current) : Infinity);
  return values.toSorted((a, b) => distance(a) - distance(b));
}
