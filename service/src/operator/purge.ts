/** Deletes the records of revoked keys. */

import type { AccountRow } from "../store/rows.js";
import type { RequestStore } from "../store/store.js";
import { type Author, changed } from "./action.js";
import { CHANGES, REVOKED_BEFORE } from "./statements.js";

/** The number of keys that one audit entry names. */
const PURGED_AT_ONCE = 500;

/** Deletes the records of the account's keys that were revoked before a time. Resolves to their number. */
export async function purgeRevoked(
  store: RequestStore,
  {
    account,
    before,
    by,
  }: { readonly account: string; readonly before: string; readonly by: Author & { readonly command: string } },
): Promise<number> {
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
    if (!isChanged) return purged;
    purged += keyIds.length;
  }
}
