import type { Plugin } from "vite";

/**
 * Writes a content security policy into a page, which then has it wherever the page is served. Everything that
 * `connectTo` does not name comes from the page's own origin. Only in builds, because the development server needs inline
 * scripts.
 */
export function contentSecurityPolicy(...connectTo: readonly string[]): Plugin {
  const content = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${["'self'", ...connectTo].join(" ")}`,
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return {
    name: "content-security-policy",
    apply: "build",
    transformIndexHtml: () => [
      {
        tag: "meta",
        attrs: { "http-equiv": "Content-Security-Policy", content },
        injectTo: "head-prepend",
      },
    ],
  };
}
