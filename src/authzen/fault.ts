/** Faults of requests: the status and the text of an error response. The text repeats nothing of the request's values. */

import { type Either, left } from "fp-ts/lib/Either.js";

export interface AuthzenFault {
  readonly status: 400 | 401 | 404 | 405 | 413 | 500;
  readonly message: string;
}

export function badRequest(message: string): Either<AuthzenFault, never> {
  return left({ status: 400, message });
}
