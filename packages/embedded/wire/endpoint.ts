import { isLoopback } from "./host-check.ts";

const wildcards = new Set(["0.0.0.0", "::"]);

/** The URL at which local programs reach a server bound to `host`. On loopback they need no TLS. */
export function localUrl(host: string, port: number, isTls = false): string {
  const reached = wildcards.has(host) ? "127.0.0.1" : host;
  return `${isTls && !isLoopback(reached) ? "https" : "http"}://${bracketed(reached)}:${port}`;
}

/** A deployment's origins for a page: HTTP and WebSocket. */
export function originsAt(url: string): readonly string[] {
  const { origin } = new URL(url);
  return [origin, origin.replace(/^http/, "ws")];
}

/**
 * The API's origins for a page requested with `hostHeader`: `apiUrl`, and the page's own host name on the API's
 * port, with TLS if the page came with it. An invalid header adds nothing.
 */
export function localOrigins(apiUrl: string, hostHeader: string, isTls = false): readonly string[] {
  const name = /^([A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\])(?::\d+)?$/.exec(hostHeader)?.[1];
  const own = isTls ? apiUrl.replace(/^http:/, "https:") : apiUrl;
  if (name === undefined) return originsAt(own);
  const { port, protocol } = new URL(own);
  return [...new Set([...originsAt(own), ...originsAt(`${protocol}//${name}:${port}`)])];
}

/** The host name as in a Host header, without the port. */
export function hostNameIn(url: string): string {
  return new URL(url).hostname;
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
