/** The operator's actions on API keys. */

import { z } from "zod";
import { keyView } from "../operations/views.js";
import { issueKey } from "../provision/issue-key.js";
import type { AccountRow, BareKeyRow } from "../store/rows.js";
import { ENVIRONMENTS } from "../store/schema.js";
import { changed, changing, id, page, reading, snapshotOf } from "./action.js";
import { pageOf } from "./listing.js";
import { CHANGES, REVOKED_BEFORE } from "./statements.js";

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

/** The number of keys that one audit entry names. */
const PURGED_AT_ONCE = 500;

export const KEY_ACTIONS = [
  reading(
    { name: "keys.list", summary: "lists the keys of an account", input: { account: id, ...page } },
    async (store, { account, ...rest }) => {
      await snapshotOf<AccountRow>(store, "account", account);
      const { rows, next } = await pageOf<OperatorKeyRow>(store, "keys", { ...rest, of: account });
      return { keys: rows.map(ownKeyView), next };
    },
  ),
  reading(
    {
      name: "keys.get",
      summary: "shows a key, by its id or by the beginning of its secret, kw_ and 16 digits",
      input: { id: keyOrPrefix },
    },
    async (store, { id }) => {
      const prefix = PREFIX.exec(id)?.[1];
      const found =
        prefix === undefined
          ? await snapshotOf<OperatorKeyRow>(store, "key", id)
          : await snapshotOf<OperatorKeyRow>(store, "secret", prefix);
      return { key: ownKeyView(found.target) };
    },
  ),
  changing(
    { name: "keys.revoke", summary: "revokes a key, for good", input: { id: keyOrPrefix } },
    async (store, given, by) => {
      const prefix = PREFIX.exec(given.id)?.[1];
      const id =
        prefix === undefined ? given.id : (await snapshotOf<OperatorKeyRow>(store, "secret", prefix)).target.id;
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
      let purged = 0;
      for (;;) {
        const about = { kind: "account", id: account, by } as const;
        const rows = await store.run<{ readonly id: string }>(REVOKED_BEFORE, [account, before, PURGED_AT_ONCE]);
        const keyIds = rows.map(({ id }) => id);
        const { isChanged } = await changed<AccountRow>(store, about, () =>
          keyIds.length === 0
            ? undefined
            : { statement: CHANGES.keysPurged, values: [keyIds], before: {}, change: { purged: keyIds, before } },
        );
        if (!isChanged) return { changed: purged > 0, purged };
        purged += keyIds.length;
      }
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
