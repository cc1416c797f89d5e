const wildcards = new Set(["0.0.0.0", "::"]);

/** The URL at which a program on this machine reaches what is bound to `host`. */
export function localUrl(host: string, port: number): string {
  return `http://${wildcards.has(host) ? "127.0.0.1" : bracketed(host)}:${port}`;
}

/** A deployment's origins for a page's requests and its WebSocket. */
export function originsAt(url: string): readonly string[] {
  const { origin } = new URL(url);
  return [origin, origin.replace(/^http/, "ws")];
}

/**
 * Where a page that was asked for by `hostHeader` finds the API which this machine knows as `apiUrl`: there, and
 * by the name that the page came by, on the API's port. A header that is no host name adds nothing.
 */
export function localOrigins(apiUrl: string, hostHeader: string): readonly string[] {
  const name = /^([A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\])(?::\d+)?$/.exec(hostHeader)?.[1];
  if (name === undefined) return originsAt(apiUrl);
  const { port } = new URL(apiUrl);
  return [...new Set([...originsAt(apiUrl), `http://${name}:${port}`, `ws://${name}:${port}`])];
}

/** The host's name as a Host header has it, without the port. */
export function hostNameIn(url: string): string {
  return new URL(url).hostname;
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
