/** The operator's actions on API keys. */

import { z } from "zod";
import { keyView } from "../operations/views.js";
import { issueKey } from "../provision/issue-key.js";
import type { BareKeyRow } from "../store/rows.js";
import { ENVIRONMENTS } from "../store/schema.js";
import type { RequestStore } from "../store/store.js";
import { changed, changing, id, reading, snapshotOf } from "./action.js";
import { listOf } from "./listing.js";
import { purgeRevoked } from "./purge.js";
import { CHANGES } from "./statements.js";

/** A key as operators see it. Its secret and the hash of its secret are not read. */
interface OperatorKeyRow extends BareKeyRow {
  readonly prefix: string;
}

/** `state` is the key's own; `stateInForce` is also suspended while its API or workspace is. */
function ownKeyView(row: OperatorKeyRow) {
  const { state: stateInForce, ...view } = keyView(row);
  return { ...view, accountId: row.accountId, prefix: `kw_${row.prefix}`, state: row.state, stateInForce };
}

const PREFIX = /^kw_([0-9a-f]{16})$/;

/** Command lines end up in histories and lists of processes, so whole secrets are refused. */
const keyOrPrefix = z
  .string("is required")
  .regex(/^(?!kw_[0-9a-f]{16}_)/, "must not be a secret: give its beginning, kw_ and 16 digits")
  .pipe(id);

/** The key with this id, or with this beginning of its secret. */
async function keyNamed(store: RequestStore, name: string): Promise<OperatorKeyRow> {
  const prefix = PREFIX.exec(name)?.[1];
  const [kind, id] = prefix === undefined ? (["key", name] as const) : (["secret", prefix] as const);
  return (await snapshotOf<OperatorKeyRow>(store, kind, id)).target;
}

export const KEY_ACTIONS = [
  listOf("keys", "keys", ownKeyView),
  reading(
    {
      name: "keys.get",
      summary: "shows a key, by its id or by the beginning of its secret, kw_ and 16 digits",
      input: { id: keyOrPrefix },
    },
    async (store, { id }) => ({ key: ownKeyView(await keyNamed(store, id)) }),
  ),
  changing(
    { name: "keys.revoke", summary: "revokes a key, for good", input: { id: keyOrPrefix } },
    async (store, given, by) => {
      const { id } = await keyNamed(store, given.id);
      const { isChanged, target } = await changed<OperatorKeyRow>(store, { kind: "key", id, by }, (key) => {
        if (key.state === "revoked") return undefined;
        const [before, change] = [{ state: key.state }, { state: "revoked" }];
        return { statement: CHANGES.keyRevoked, values: [id, key.apiId], before, change };
      });
      return { changed: isChanged, key: ownKeyView(target) };
    },
  ),
  changing(
    {
      name: "keys.purge",
      summary: "deletes the records of keys that were revoked before a time",
      input: {
        account: id,
        before: z.iso.datetime({ offset: true, error: "must be a time, such as 2026-01-31T00:00:00Z" }),
      },
    },
    async (store, { account, before }, by) => {
      const purged = await purgeRevoked(store, { account, before, by });
      return { changed: purged > 0, purged };
    },
  ),
  changing(
    {
      name: "keys.issue",
      summary: "issues a key that administers an account, and shows its secret, once",
      input: { account: id, environment: z.enum(ENVIRONMENTS).optional() },
    },
    (store, options, by) => issueKey(store, options, by),
  ),
];
