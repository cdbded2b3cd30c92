/** The envelope of every error of a service, of any status (docs/contract.md §7.1). */

/** The envelope of docs/contract.md §7.1. */
export interface ErrorEnvelope {
  readonly meta: { readonly requestId: string };
  readonly error: {
    readonly detail: string;
    readonly status: number;
    readonly title: string;
    readonly type: string;
  };
}

export interface EnvelopeOptions {
  /** `req_` followed by an opaque string: see `requestId`. */
  readonly requestId: string;
  /** The host, and path if any, of the error descriptions, without a scheme: `{docs_url}` of docs/contract.md §7.1. */
  readonly docsUrl: string;
  /**
   * The part of `error.type` before the category: the service that the errors belong to. Default: `service`, as in the
   * contract.
   */
  readonly service?: string | undefined;
}

/** The fields that differ between the errors of a service. */
export interface ErrorKind<Status extends number = number, Title extends string = string> {
  readonly status: Status;
  readonly title: Title;
  /** `authentication`: a word of lower-case letters, digits, `_` and `-`. */
  readonly category: string;
  /** `invalid_key`: a word likewise. */
  readonly code: string;
  readonly detail: string;
}

/** A part of `error.type`: lower-case letters, digits, `_` and `-`. */
const WORD = /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$/;
const REQUEST_ID = /^req_[\w-]+$/;
const DOCS_URL = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?(?:\/[\w.~-]+)*$/i;

/** Whether text can stand in `meta.requestId`. */
export function isRequestId(text: string): boolean {
  return isText(text, REQUEST_ID);
}

export function isWord(text: string): boolean {
  return isText(text, WORD);
}

/** Types do not keep a program in JavaScript from giving another value; `undefined` would be a host. */
function isText(value: unknown, form: RegExp): boolean {
  return typeof value === "string" && form.test(value);
}

/**
 * Fields in the order of docs/contract.md §7.1. Throws a `TypeError` for malformed options, and for a category or code
 * that is not a word.
 */
export function envelopeOf<Status extends number, Title extends string>(
  { status, title, category, code, detail }: ErrorKind<Status, Title>,
  { requestId, docsUrl, service = "service" }: EnvelopeOptions,
): ErrorEnvelope & { readonly error: { readonly status: Status; readonly title: Title } } {
  if (!isRequestId(requestId)) throw new TypeError("requestId must be req_ followed by letters, digits, _ or -");
  if (!isText(docsUrl, DOCS_URL)) {
    throw new TypeError("docsUrl must be a host, and path if any, without a scheme or final /");
  }
  if (!isWord(service)) throw new TypeError("service must be a word of lower-case letters, digits, _ and -");
  if (!isWord(category) || !isWord(code))
    throw new TypeError("category and code must be words of lower-case letters, digits, _ and -");
  const type = `https://${docsUrl}/api-reference/errors-v2/${service}/${category}/${code}`;
  return { meta: { requestId }, error: { detail, status, title, type } };
}
