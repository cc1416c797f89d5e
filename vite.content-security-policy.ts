import type { Plugin } from "vite";

type Options = {
  /** The policy that the page is served with, but for sources to which only some servers let it connect. */
  readonly policy: string;
  /** Whether the page shows pages of its own origin in frames. */
  readonly frames?: boolean;
};

/**
 * Writes a policy into a page, which then has it wherever it is served. Only in builds, because the development server
 * needs inline scripts.
 */
export function contentSecurityPolicy({ policy, frames = false }: Options): Plugin {
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
