/** The SQL of answers for repeated requests. */

import type { Statement } from "./statement.js";

/**
 * Stores the answer of a create for repeated requests, in the transaction of the change. `parameter` is the JSON of a
 * `StoredAnswer`, or null for a request that cannot be repeated.
 */
export const answered = (parameter: string) => `answered as (insert into answers (key_id, token, request, sealed)
    select $1, r.token, r.request, r.sealed
    from locked, json_to_record(coalesce(${parameter}, '{}')::json) as r (token text, request text, sealed text)
    where r.token is not null)`;

/** The answer with the token $2 that a create by the key $1 had (`AnswerRow`). Removes the expired answers of the key. */
export const STORED_ANSWER: Statement = {
  name: "stored_answer",
  text: `with expired as (delete from answers where key_id = $1 and expires_at <= now())
    select request, sealed from answers where key_id = $1 and token = $2 and expires_at > now()`,
};

/** Removes the expired answers of all keys. */
export const REMOVE_EXPIRED_ANSWERS: Statement = {
  name: "remove_expired_answers",
  text: "delete from answers where expires_at <= now()",
};
