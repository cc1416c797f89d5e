const WILDCARDS = new Set(["0.0.0.0", "::"]);

/** The URL at which a program on this machine reaches what is bound to `host`. */
export function localUrl(host: string, port: number): string {
  return `http://${WILDCARDS.has(host) ? "127.0.0.1" : bracketed(host)}:${port}`;
}

/**
 * The deployment's origins as a page sees them that came from `hostHeader`: the same machine by the same
 * name, on the API's port. Null for a header that is no host name.
 */
export function originsForPage(hostHeader: string, apiPort: number): readonly string[] | null {
  const name = /^([A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\])(?::\d+)?$/.exec(hostHeader)?.[1];
  return name === undefined ? null : [`http://${name}:${apiPort}`, `ws://${name}:${apiPort}`];
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
