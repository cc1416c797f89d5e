import { extname, join, normalize, sep } from "node:path";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** The panel talks to its donor over IPC alone: it connects to nothing, and runs its own scripts only. */
export const panelPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export type PanelFile = { readonly path: string; readonly type: string };

/** The file below `root` that an address of the panel names, or null for anything outside or of another kind. */
export function panelFile(root: string, address: string): PanelFile | null {
  try {
    const { pathname } = new URL(address);
    const path = normalize(join(root, decodeURIComponent(pathname)));
    const type = types[extname(path)];
    return type !== undefined && path.startsWith(root + sep) && !path.includes("\0") ? { path, type } : null;
  } catch {
    return null;
  }
}
