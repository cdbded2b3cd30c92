/** The SQL of credits: how often a key may still be verified. */

import type { Statement } from "./statement.js";

/** The credits that are left at present, of a row `credits`: refilled if another day or month has begun since. */
const left = (row: string) => `(case when date_trunc(${row}.refill_every, ${row}.refilled_at at time zone 'UTC')
      < date_trunc(${row}.refill_every, now() at time zone 'UTC') then ${row}.refill_amount else ${row}.remaining end)`;

/** The credits of a key (`KeyCredits`), or null. */
export const creditsOf = (key: string) => `(select json_build_object('remaining', ${left("credits")}, 'refill',
      case when credits.refill_amount is not null
        then json_build_object('amount', credits.refill_amount, 'every', credits.refill_every) end)
    from credits where credits.key_id = ${key}.id)`;

/**
 * Sets the credits of a key with the id `key`. `parameter` is the JSON of a `NewCredits`, or null to leave them as they
 * are.
 */
export const credited = (key: string, parameter: string) => `uncredited as (delete from credits using locked
    where credits.key_id = ${key} and json_typeof(${parameter}::json -> 'remaining') = 'null'),
  credited as (insert into credits (key_id, remaining, refill_amount, refill_every)
    select ${key}, r.remaining, r.amount, r.every
    from locked, json_to_record(coalesce(${parameter}, '{}')::json) as r (remaining integer, amount integer, every text)
    where r.remaining is not null
    on conflict (key_id) do update set remaining = excluded.remaining, refill_amount = excluded.refill_amount,
      refill_every = excluded.refill_every, refilled_at = now())`;

/**
 * Takes $2 credits of the key $1, unless fewer are left. One row with those that are left then (`CreditsRow`), or no row.
 * Concurrent requests follow one another at the row's lock, and each sees the row that the one before has left.
 */
export const TAKE_CREDITS: Statement = {
  name: "take_credits",
  text: `update credits set remaining = ${left("credits")} - $2::integer, refilled_at = greatest(refilled_at, now())
    where key_id = $1 and ${left("credits")} >= $2::integer returning remaining`,
};

/** The credits of the key $1 (`CreditsRow`); no row if its use is not limited. */
export const CREDITS_LEFT: Statement = {
  name: "credits_left",
  text: `select ${left("credits")} as remaining from credits where key_id = $1`,
};
