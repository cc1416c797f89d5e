import { readFile, realpath } from "node:fs/promises";
import { extname, join, sep } from "node:path";

export type StaticFile = { readonly body: Buffer; readonly contentType: string };

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

/** A file within `folder`, of a kind that a page needs; null for anything else, links out of it included. */
export async function readStatic(folder: string, urlPath: string): Promise<StaticFile | null> {
  let path: string;
  try {
    path = decodeURIComponent(urlPath);
  } catch {
    return null;
  }
  const contentType = contentTypes[extname(path)];
  if (
    contentType === undefined ||
    path.includes("\0") ||
    path.split(/[\\/]/).some((part) => part.startsWith("."))
  ) {
    return null;
  }
  try {
    const root = await realpath(folder);
    const file = await realpath(join(root, path));
    if (!file.startsWith(root + sep)) return null;
    return { body: await readFile(file), contentType };
  } catch {
    return null;
  }
}

/** Where in `folder` the panel's page is: a build may have several pages. */
export async function findPanelPage(folder: string): Promise<string | null> {
  for (const page of ["/panel/index.html", "/index.html"]) {
    if ((await readStatic(folder, page)) !== null) return page;
  }
  return null;
}
