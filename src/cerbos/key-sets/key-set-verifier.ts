/** `decodeJWT` for clients, from key sets. `jose` is loaded only when it is called. */

import { timestampAt } from "../../cel/time.js";
import type { JsonMap } from "../../cel/values.js";
import type { KeySetOptions } from "./options.js";

export interface KeySetVerifierOptions extends KeySetOptions {
  /** The clock for `exp`, `nbf` and `iat`. Default: the system's. */
  readonly now?: () => Date;
}

/**
 * Makes the `decodeJWT` of {@link EmbeddedClient} from key sets, in the form of the Cerbos server's `auxData.jwt`. Tokens
 * are verified with `jose`, which must be installed. Paths of files are relative to the working directory. Local keys are
 * read once, remote keys when a token needs them.
 *
 * Rejects with a `TypeError` if an option is faulty, or a local key set cannot be read. The function that it makes rejects
 * for a token that does not verify.
 */
export async function keySetVerifier({
  now = () => new Date(),
  ...options
}: KeySetVerifierOptions): Promise<(token: string, keySetId?: string) => Promise<JsonMap>> {
  const { TokenVerifier } = await import("./verifier.js");
  const verifier = await TokenVerifier.create(options);
  return (token, keySetId = "") => verifier.claims({ token, keySetId }, timestampAt(now().getTime()));
}
