/** Minimizes a finding: leaves out policies, rules, conditions, attributes and actions. */

import { isObject, type Json, type JsonObject } from "./json.js";
import { LocalStore } from "./local.js";
import { compareStore, type Finding } from "./run.js";
import type { Store } from "./store.js";

/** The most server starts for one finding. */
const MAX_STARTS = 300;

export async function shrink(start: Finding): Promise<Finding> {
  let smallest = start;
  let starts = 0;
  const aspect = start.differences[0]?.aspect;
  const still = async (store: Store, request: Finding["request"]): Promise<boolean> => {
    if (starts >= MAX_STARTS || (request !== undefined && request.body.includeMeta === undefined)) return false;
    if (aspect !== "load" && !(LocalStore.load(store) instanceof LocalStore)) return false;
    starts++;
    const found = await compareStore(store, request === undefined ? [] : [request], undefined).catch(() => []);
    const finding = found.find(({ differences }) => differences.some((difference) => difference.aspect === aspect));
    if (finding === undefined) return false;
    smallest = finding;
    return true;
  };
  const shrinkFiles = async () => {
    const reduced = async (files: readonly string[]) => {
      const kept = Object.fromEntries(Object.entries(smallest.store.files).filter(([path]) => !files.includes(path)));
      return await still({ ...smallest.store, files: kept }, smallest.request);
    };
    for (let size = Math.ceil(Object.keys(smallest.store.files).length / 2); size >= 1; size = Math.floor(size / 2)) {
      for (let paths = Object.keys(smallest.store.files), i = 0; i < paths.length; i += size) {
        await reduced(paths.slice(i, i + size));
      }
    }
  };
  const shrinkRequest = async () => {
    const { request } = smallest;
    if (request === undefined) return;
    for (let again = true; again; ) {
      again = false;
      for (const body of smaller(smallest.request?.body ?? {}, 0)) {
        if (isObject(body) && (await still(smallest.store, { ...request, body }))) {
          again = true;
          break;
        }
      }
    }
  };
  const shrinkBodies = async () => {
    for (const path of Object.keys(smallest.store.files)) {
      for (let again = true; again; ) {
        again = false;
        for (const body of smaller(smallest.store.files[path] ?? {}, 0)) {
          const files = { ...smallest.store.files, [path]: body as JsonObject };
          if (await still({ ...smallest.store, files }, smallest.request)) {
            again = true;
            break;
          }
        }
      }
    }
  };
  await shrinkFiles();
  await shrinkResources(smallest, still);
  await shrinkBodies();
  await shrinkFiles();
  await shrinkRequest();
  return smallest;
}

/** Tries one resource and one action alone. */
async function shrinkResources(
  { request, store }: Finding,
  still: (store: Store, request: Finding["request"]) => Promise<boolean>,
): Promise<void> {
  const resources = request?.body.resources;
  if (request === undefined || !Array.isArray(resources)) return;
  for (const entry of resources) {
    if (!isObject(entry) || !Array.isArray(entry.actions)) continue;
    for (const action of entry.actions) {
      const body = { ...request.body, resources: [{ ...entry, actions: [action] }] };
      if (await still(store, { ...request, body })) return;
    }
  }
}

/** Variants of the value without one of its parts, larger parts first. */
function* smaller(value: Json, depth: number): Generator<Json> {
  if (depth > 12) return;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) yield value.toSpliced(i, 1);
    for (const [i, item] of value.entries()) for (const less of smaller(item, depth + 1)) yield value.with(i, less);
  } else if (isObject(value)) {
    for (const name of ["all", "any"] as const) {
      const group = value[name];
      if (isObject(group) && Array.isArray(group.of) && group.of.length === 1) yield group.of[0] ?? null;
    }
    for (const key of Object.keys(value)) {
      const { [key]: _left, ...rest } = value;
      yield rest;
    }
    for (const [key, member] of Object.entries(value)) {
      for (const less of smaller(member, depth + 1)) yield { ...value, [key]: less };
    }
  }
}
