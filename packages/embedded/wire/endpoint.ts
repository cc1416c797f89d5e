const wildcards = new Set(["0.0.0.0", "::"]);

/** The URL at which local programs reach a server bound to `host`. */
export function localUrl(host: string, port: number): string {
  return `http://${wildcards.has(host) ? "127.0.0.1" : bracketed(host)}:${port}`;
}

/** A deployment's origins for a page: HTTP and WebSocket. */
export function originsAt(url: string): readonly string[] {
  const { origin } = new URL(url);
  return [origin, origin.replace(/^http/, "ws")];
}

/**
 * The API's origins for a page requested with `hostHeader`: `apiUrl`, and the page's own host name on the API's
 * port. An invalid header adds nothing.
 */
export function localOrigins(apiUrl: string, hostHeader: string): readonly string[] {
  const name = /^([A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\])(?::\d+)?$/.exec(hostHeader)?.[1];
  if (name === undefined) return originsAt(apiUrl);
  const { port } = new URL(apiUrl);
  return [...new Set([...originsAt(apiUrl), `http://${name}:${port}`, `ws://${name}:${port}`])];
}

/** The host name as in a Host header, without the port. */
export function hostNameIn(url: string): string {
  return new URL(url).hostname;
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
