/**
 * The content security policy of the panel: only its own scripts and styles, and no frames. Its servers send it, and the
 * built page contains it, where `frame-ancestors` would have no effect.
 * @param connectTo where the page may connect to, as sources of the policy's syntax
 */
export function panelPolicy(connectTo: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "manifest-src 'self'",
    `connect-src ${connectTo.length === 0 ? "'none'" : connectTo.join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** The same for an answer: no page may show the panel in a frame. */
export function sentPanelPolicy(connectTo: readonly string[]): string {
  return `${panelPolicy(connectTo)}; frame-ancestors 'none'`;
}
