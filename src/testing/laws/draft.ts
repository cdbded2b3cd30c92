/** A request under construction: attributes are set one at a time, and a schema violation is never introduced. */

import type { SpaceSubject } from "../../space/dimension.js";
import { Draft } from "../../space/draft.js";
import { isValueMap, type PlainRequest, type PlainValue, type RequestAttributes } from "./plain-request.js";

/** The address of a value in a request: fields from the subject, `["attr", "tags", 0]`. A number is a list index. */
export interface RequestValueAddress {
  readonly subject: SpaceSubject;
  readonly path: readonly (string | number)[];
}

/** Whether attributes satisfy a schema. */
export type AttributeCheck = (attr: RequestAttributes) => boolean;

export class CheckedDraft {
  readonly draft: Draft;
  private readonly request: PlainRequest;
  private readonly validators: ReadonlyMap<SpaceSubject, readonly AttributeCheck[]>;

  /** `validators`: the schemas of each subject's attributes. */
  constructor(request: PlainRequest, validators: ReadonlyMap<SpaceSubject, readonly AttributeCheck[]>) {
    this.draft = Draft.from(request);
    this.request = request;
    this.validators = validators;
  }

  done(): PlainRequest {
    const { key, resource, account } = this.request;
    const { draft } = this;
    return {
      ...this.request,
      key: { ...key, id: draft.key.id, roles: draft.key.roles, attr: draft.key.attr },
      resource: { ...resource, id: draft.resource.id, attr: draft.resource.attr },
      account: { ...account, id: draft.account.id, attr: draft.account.attr },
    };
  }

  /** Sets a value, or removes it (`undefined`). Returns whether the place exists and the schemas accept the result. */
  set({ subject, path: [field, ...path] }: RequestValueAddress, value: PlainValue | undefined): boolean {
    const holder = this.draft[subject];
    if (field === "id" && path.length === 0 && typeof value === "string" && value !== "") {
      holder.id = value;
      return true;
    }
    const after = field === "attr" ? replacedIn(holder.attr, path, value) : undefined;
    if (!isValueMap(after) || (this.admits(subject, holder.attr) && !this.admits(subject, after))) return false;
    holder.attr = after;
    return true;
  }

  private admits(subject: SpaceSubject, attr: RequestAttributes): boolean {
    return (this.validators.get(subject) ?? []).every((validate) => validate(attr));
  }
}

/** A copy of `value` with the value at a path replaced, in maps and lists; undefined if the path does not exist. */
function replacedIn(
  value: PlainValue | undefined,
  [name, ...rest]: readonly (string | number)[],
  next: PlainValue | undefined,
): PlainValue | undefined {
  if (name === undefined) return next;
  if (typeof name === "number") {
    if (!Array.isArray(value) || name >= value.length) return undefined;
    const item = replacedIn(value[name], rest, next);
    return item === undefined ? value.filter((_, i) => i !== name) : value.map((old, i) => (i === name ? item : old));
  }
  const map = value === undefined ? {} : value;
  if (!isValueMap(map)) return undefined;
  const inner = replacedIn(Object.hasOwn(map, name) ? map[name] : undefined, rest, next);
  if (inner !== undefined) return Object.fromEntries([...new Map([...Object.entries(map), [name, inner]])]);
  if (rest.length > 0 && next !== undefined) return undefined;
  return Object.fromEntries(Object.entries(map).filter(([key]) => key !== name));
}
