/** The SQL that asks whether a store takes writes. */

import type { Statement } from "./statement.js";

/**
 * Fails where the database takes no writes: a standby gives no transaction id, and a database that is read-only says so.
 * One row with the setting.
 */
export const PING: Statement = {
  name: "ping",
  text: `select current_setting('transaction_read_only') = 'on' as "isReadOnly", pg_current_xact_id()::text as id`,
};
