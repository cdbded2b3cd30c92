/** How long the server waits for requests on its connections. */

/** In milliseconds. */
export interface ConnectionTimeouts {
  /** The most time for the header fields to arrive. */
  readonly headersTimeout: number;
  /** The most time for the whole request to arrive. */
  readonly requestTimeout: number;
  /** How long an idle connection stays open. */
  readonly keepAliveTimeout: number;
}

/**
 * Idle connections stay open for longer than proxies keep theirs (60 s, mostly). A proxy that sends a request on a
 * connection that was just closed gets an error, and does not send a POST again.
 */
export const TIMEOUTS: ConnectionTimeouts = {
  ...{ headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 75_000 },
};
