export type SecurityHeadersOptions = {
  /** Origins that the page may talk to besides its own: the deployment's, as http(s) and ws(s). */
  readonly connectTo: readonly string[];
};

/** For pages that we serve: scripts and styles of their own only, no frames, no plug-ins, nothing sniffed. */
export function securityHeaders({ connectTo }: SecurityHeadersOptions): { readonly [name: string]: string } {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // Components position themselves with style attributes, which no nonce can cover.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "manifest-src 'self'",
    `connect-src ${["'self'", ...connectTo].join(" ")}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return {
    "Content-Security-Policy": policy.join("; "),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
  };
}
