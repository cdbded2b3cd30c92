/** Addresses to listen at. */

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** `127.0.0.1:3592`, `localhost:0`, `[::1]:3592`; undefined for other texts. */
export function listenAddress(text: string): ListenAddress | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  return host === undefined || port > 65_535 ? undefined : { host, port };
}

/** True if only programs on this machine reach the host. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** The address as a part of a URL. */
export function hostAndPort({ host, port }: ListenAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
