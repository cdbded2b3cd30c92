/** The values of Cerbos's SPIFFE functions, with go-spiffe's rules for identifiers. */

import { type CelValue, Opaque } from "../values.js";

const PREFIX = "spiffe://";
const NAME = /^[a-z0-9._-]+$/;
const SEGMENT = /^[a-zA-Z0-9._-]+$/;
const MAX_LENGTH = 4_096;

/** The reason why a text is not a valid identifier. */
export interface MalformedSpiffeId {
  readonly reason: string;
}

export class SpiffeTrustDomain extends Opaque {
  readonly typeName = "cerbos.lib.spiffeTrustDomain";
  readonly text: string;

  constructor(name: string) {
    super();
    this.text = name;
  }

  /** Equals the same trust domain, or a text that names it. A malformed text is not an error here. */
  equals(other: CelValue): boolean {
    const domain = typeof other === "string" ? parseTrustDomain(other) : other;
    return domain instanceof SpiffeTrustDomain && domain.text === this.text;
  }

  override comparableWith(other: CelValue): boolean {
    return typeof other === "string" || super.comparableWith(other);
  }
}

export class SpiffeId extends Opaque {
  readonly typeName = "cerbos.lib.spiffeID";
  readonly domain: SpiffeTrustDomain;
  readonly path: string;

  constructor(domain: SpiffeTrustDomain, path: string) {
    super();
    this.domain = domain;
    this.path = path;
  }

  get text(): string {
    return PREFIX + this.domain.text + this.path;
  }

  equals(other: CelValue): boolean {
    return typeof other === "string" ? other === this.text : other instanceof SpiffeId && other.text === this.text;
  }

  override comparableWith(other: CelValue): boolean {
    return typeof other === "string" || super.comparableWith(other);
  }
}

export class SpiffeMatcher extends Opaque {
  readonly typeName = "cerbos.lib.spiffeMatcher";
  readonly matches: (id: SpiffeId) => boolean;

  constructor(matches: (id: SpiffeId) => boolean) {
    super();
    this.matches = matches;
  }

  /** Nothing equals a matcher, not even itself. */
  equals(_other: CelValue): boolean {
    return false;
  }

  override comparableWith(_other: CelValue): boolean {
    return true;
  }
}

/** `spiffe://{trust domain}{path}`. */
export function parseSpiffeId(text: string): SpiffeId | MalformedSpiffeId {
  if (!text.startsWith(PREFIX)) return { reason: "scheme is missing or invalid" };
  if (text.length > MAX_LENGTH) return { reason: "too long" };
  const slash = text.indexOf("/", PREFIX.length);
  const name = slash < 0 ? text.slice(PREFIX.length) : text.slice(PREFIX.length, slash);
  const path = slash < 0 ? "" : text.slice(slash);
  if (name === "") return { reason: "trust domain is missing" };
  if (!NAME.test(name)) return BAD_NAME;
  const fault = path === "" ? undefined : pathFault(path);
  return fault === undefined ? new SpiffeId(new SpiffeTrustDomain(name), path) : { reason: fault };
}

const BAD_NAME: MalformedSpiffeId = {
  reason: "trust domain characters are limited to lowercase letters, numbers, dots, dashes, and underscores",
};

function pathFault(path: string): string | undefined {
  if (path.endsWith("/")) return "path cannot have a trailing slash";
  for (const segment of path.slice(1).split("/")) {
    if (segment === "") return "path cannot contain empty segments";
    if (segment === "." || segment === "..") return "path cannot contain dot segments";
    if (!SEGMENT.test(segment)) {
      return "path segment characters are limited to letters, numbers, dots, dashes, and underscores";
    }
  }
  return undefined;
}

/** Parses the name of a trust domain, or the trust domain of a SPIFFE id. */
export function parseTrustDomain(text: string): SpiffeTrustDomain | MalformedSpiffeId {
  if (text === "") return { reason: "trust domain is missing" };
  if (text.includes(":/")) {
    const id = parseSpiffeId(text);
    return id instanceof SpiffeId ? id.domain : id;
  }
  return text.length <= MAX_LENGTH && NAME.test(text) ? new SpiffeTrustDomain(text) : BAD_NAME;
}
