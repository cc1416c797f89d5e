import type { Plugin } from "vite";
import { pagePolicy } from "./packages/embedded/http/site/page-policy.ts";

type Options = {
  /** Sources besides the page's own origin to which it may connect. */
  readonly connectTo: readonly string[];
  /** Whether the page shows pages of its own origin in frames. */
  readonly frames?: boolean;
};

/**
 * Writes the policy that the embedded backend serves pages with into a page, which then has it wherever it is served. Only
 * in builds, because the development server needs inline scripts.
 */
export function contentSecurityPolicy({ connectTo, frames = false }: Options): Plugin {
  const policy = pagePolicy(connectTo);
  const content = frames ? `${policy}; frame-src 'self'` : policy;
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
