/** The pages at the addresses of `error.type`: when each error occurs, and what the caller can do. */

import { errorBody } from "keyward";
import {
  BODY_TOO_LARGE,
  type ErrorDescription,
  errorEnvelope,
  INTERNAL_ERROR,
  NOT_FOUND,
  SERVICE_UNAVAILABLE,
  UNAUTHENTICATED,
} from "keyward/http";
import * as problems from "./problems.js";

export interface ErrorPage {
  /** The path of the page: that of `error.type`, without the host and path of `DOCS_URL`. */
  readonly path: string;
  /** `<category>/<code>`. */
  readonly name: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** When the error occurs. */
  readonly when: string;
  readonly remedy: string;
}

type Text = readonly [when: string, remedy: string];

const RETRY = "Send the same request again later, with growing pauses.";
const MEND = "Change the request; the same one fails again.";

/** The refusals of docs/contract.md §7. */
const REFUSALS = {
  insufficient_permissions: [
    "The key is valid, and its permissions do not cover the operation: a read-only key writes; the permissions name other resources; the resource is in another workspace or environment; the operation is an administrative one; or the permissions were reduced.",
    "Use a key that has the permissions. Sending the same request again does not help.",
  ],
  forbidden: [
    "The platform prohibits the operation, whatever the permissions of the key: the resource is the system's, or in a state that forbids the change; the account is at a limit or on hold, or its plan or state does not have the operation; the operation is out of its order; or the resource is protected from deletion.",
    "Change the state of the resource first, or the plan or the account, or use another operation. Another key does not help.",
  ],
} as const satisfies { readonly [outcome: string]: Text };

const ERRORS: readonly (readonly [ErrorDescription, ...Text])[] = [
  [
    UNAUTHENTICATED,
    "The field Authorization is missing or malformed, or the key is unknown, disabled, revoked or expired. The answer is the same for all of these.",
    "Send a valid key: Authorization: Bearer <API_KEY>.",
  ],
  [
    NOT_FOUND,
    "Nothing with this id belongs to the account of the key. It may never have existed, or be another account's.",
    "Check the id, and the account of the key.",
  ],
  [problems.CONFLICT, "Another resource of the account has the name.", "Choose another name."],
  [problems.MALFORMED_REQUEST, "The request cannot be read, or ended early.", MEND],
  [problems.INVALID_JSON, "The body is not a JSON object in UTF-8.", MEND],
  [problems.DUPLICATE_FIELD, "An object of the body has a name twice, so that two readers could differ.", MEND],
  [
    problems.invalidBody("The faults of the body, by field"),
    "A field of the body is missing, unknown, or has a value that the operation does not take. The detail names the fields.",
    "Change the body as the detail and the OpenAPI document say.",
  ],
  [problems.UNKNOWN_OPERATION, "No operation has this path. An operation answers under one version only.", MEND],
  [
    problems.methodNotAllowed("POST"),
    "The path does not have this method; the field Allow has those that it has.",
    "Send operations with POST.",
  ],
  [problems.REQUEST_TIMEOUT, "The request did not arrive within the time that the service waits for one.", RETRY],
  [
    problems.PRECONDITION_FAILED,
    "The field If-Match names a version, and the resource has another one by now.",
    "Read the resource again, and decide whether the change is still wanted.",
  ],
  [
    problems.UNEXPECTED_PRECONDITION,
    "The request has the field If-Match, and the operation has no use for it: it reads, creates or revokes.",
    "Leave the field out.",
  ],
  [
    BODY_TOO_LARGE,
    "The body has more bytes than the service accepts.",
    "Send less: no operation needs more than a few thousand bytes.",
  ],
  [
    problems.UNSUPPORTED_MEDIA_TYPE,
    "The body is not application/json in UTF-8, or it is compressed.",
    "Send Content-Type: application/json, without Content-Encoding.",
  ],
  [
    problems.INVALID_IDEMPOTENCY_KEY,
    "The field Idempotency-Key is empty, too long, or has other characters.",
    "Send a UUID, for example.",
  ],
  [
    problems.IDEMPOTENCY_KEY_REUSED,
    "The Idempotency-Key came with another operation, other values or another secret of the same key within 24 hours.",
    "Use a new Idempotency-Key for each new request, and the old one only to repeat a request.",
  ],
  [problems.HEADERS_TOO_LARGE, "The header fields have more bytes than the service accepts.", MEND],
  [
    problems.CALLER_GONE,
    "The caller closed the connection while the request waited, so nothing was changed. Only logs have this error.",
    "Keep the connection open until the answer arrives.",
  ],
  [
    problems.rateLimited(1, "The API key"),
    "The API key, its account or the address makes more requests than it may.",
    "Wait for the seconds of the field Retry-After.",
  ],
  [INTERNAL_ERROR, "The service failed. Its operators see the error.", "Report it with the request id."],
  [
    SERVICE_UNAVAILABLE,
    "The service cannot store or decide at present, or too many requests of the account are at work. Nothing was changed, unless the connection to the store broke during the change.",
    `${RETRY} An Idempotency-Key makes that safe for creates.`,
  ],
];

const NOWHERE = { docsUrl: "docs.invalid", requestId: "req_none" };

/** Every error that the service answers with has a page. */
export const ERROR_PAGES: readonly ErrorPage[] = [
  ...(["insufficient_permissions", "forbidden"] as const).flatMap((outcome) => {
    const body = errorBody({ outcome }, NOWHERE);
    return body === undefined ? [] : [pageOf(body.error, REFUSALS[outcome])];
  }),
  ...ERRORS.map(([description, ...text]) => pageOf(errorEnvelope(description, NOWHERE).error, text)),
];

function pageOf(
  { type, status, title, detail }: ReturnType<typeof errorEnvelope>["error"],
  [when, remedy]: Text,
): ErrorPage {
  const path = new URL(type).pathname;
  return { path, name: path.split("/").slice(-2).join("/"), status, title, detail, when, remedy };
}

/** The page as HTML, which loads nothing. */
export function htmlOf({ name, status, title, detail, when, remedy }: ErrorPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(name)}</title>
<style>body { font-family: system-ui, sans-serif; line-height: 1.5; max-width: 40em; margin: 2em auto; padding: 0 1em }</style>
</head>
<body>
<h1>${escaped(name)}</h1>
<p>${status} ${escaped(title)}: ${escaped(detail)}</p>
<h2>When it occurs</h2>
<p>${escaped(when)}</p>
<h2>What to do</h2>
<p>${escaped(remedy)}</p>
</body>
</html>
`;
}

const ENTITIES: { readonly [character: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}

/** Fields of the pages, which are the same for everybody, and which load nothing. */
export const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "public, max-age=3600",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
  "x-content-type-options": "nosniff",
} as const;
