import { readFile, realpath } from "node:fs/promises";
import { extname, join, sep } from "node:path";

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json; charset=utf-8",
};

type PanelFile = { readonly path: string; readonly type: string };

/** The file below `root` that an address of the panel names. Null for hidden files, and types that no page needs. */
export function panelFile(root: string, address: string): PanelFile | null {
  try {
    const path = decodeURIComponent(new URL(address).pathname);
    const type = contentTypes[extname(path)];
    // No segment may start with a dot: that excludes "..", too.
    const isHidden = path.includes("\0") || path.split(/[\\/]/).some((part) => part.startsWith("."));
    return type === undefined || isHidden ? null : { path: join(root, path), type };
  } catch {
    return null;
  }
}

/**
 * Reads a file of the built panel. Null for anything else, and for links that lead out of the folder. Libraries that
 * serve static files follow such links, so this is our own.
 */
export async function readPanelFile(
  root: string,
  address: string,
): Promise<{ readonly body: Buffer; readonly type: string } | null> {
  const file = panelFile(root, address);
  if (file === null) return null;
  try {
    const path = await realpath(file.path);
    if (!path.startsWith((await realpath(root)) + sep)) return null;
    return { body: await readFile(path), type: file.type };
  } catch {
    return null;
  }
}
