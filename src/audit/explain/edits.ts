/** Single edits of a request that policies can distinguish. */

import { isList, type JsonValue } from "../../cel/json.js";
import type { SpaceLayer } from "../../space/dimension.js";
import { choicesFor, isInvented } from "../../space/dimension-choices.js";
import { ABSENT, type Draft, type DraftValue } from "../../space/draft.js";
import type { QuestionSpace } from "../../space/question-space.js";
import { UNNAMED_ROLE } from "../../space/question-space.js";

/** An edit of one value of a request. */
export interface RequestEdit {
  /** `set`: the value becomes this; `unset`: the attribute is left out; `add`, `remove`: an element of a list. */
  readonly action: "set" | "unset" | "add" | "remove";
  /** Where in the request: `resource.attr.state`, `key.roles`. */
  readonly path: string;
  readonly value?: JsonValue;
  /** The value stands for any other that the policies do not mention. */
  readonly invented: boolean;
}

/** An edit, and how to make it. */
export interface OpenEdit extends RequestEdit {
  readonly layer: SpaceLayer;
  apply(draft: Draft): void;
}

const ROLES = { subject: "key", path: ["roles"] } as const;

/** All edits that the rules of a layer can distinguish, those of the principal first. */
export function editsOf(asked: QuestionSpace, draft: Draft): readonly OpenEdit[] {
  const { layer } = asked.space;
  const edits: OpenEdit[] = layer === "permission" ? [...roleEdits(asked, draft)] : [];
  for (const { dimension, values } of choicesFor(asked, draft)) {
    // A value inside a non-map cannot be edited on its own.
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
      // One invented element stands for all others: it may matter that the list has any.
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

function* roleEdits({ roles }: QuestionSpace, draft: Draft): Generator<OpenEdit> {
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
  layer: SpaceLayer,
  action: RequestEdit["action"],
  path: string,
  value: JsonValue,
  apply: (draft: Draft) => void,
): OpenEdit {
  return { layer, action, path, value, invented: false, apply };
}

/** Sorts numbers by their distance. */
function nearest(values: readonly DraftValue[], current: number): readonly DraftValue[] {
  const distance = (value: DraftValue) => (typeof value === "number" ? Math.abs(value - current) : Infinity);
  return values.toSorted((a, b) => distance(a) - distance(b));
}
