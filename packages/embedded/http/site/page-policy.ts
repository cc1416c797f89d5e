/**
 * The content security policy of a served page: only its own scripts and styles, and no plug-ins or frames. A page may
 * contain the same text, so that it has the policy wherever it is served.
 * @param connectTo what the page may connect to besides its own origin, as sources of the policy's syntax
 */
export function pagePolicy(connectTo: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "manifest-src 'self'",
    `connect-src ${["'self'", ...connectTo].join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}
