import { join, relative } from "node:path";
import type { Plugin } from "vite";
import { type AdapterHandler, normalizeSep } from "wuchale";
import { catalogsIn } from "./wuchale.config.ts";

const root = import.meta.dirname;
const folder = "renderer/languages";
/** The module by which `renderer/languages/pages.loader.ts` loads the compiled catalogs. */
const catalogs = "virtual:catalogs";

/**
 * Takes the text of a page from the catalogs in renderer/languages, which wuchale.config.ts describes. wuchale's own plugin
 * would also write the catalogs, in an order that differs from build to build.
 */
export function languages(): Plugin {
  const handler = catalogsIn(folder);
  return {
    name: "languages",
    enforce: "pre",
    configResolved: async () => handler.init(new Map()),
    resolveId: (id) => (id === catalogs ? join(root, folder, ".wuchale/pages.proxy.js") : null),
    transform: {
      order: "pre",
      handler: (code, id) => fromCatalogs(handler, code, normalizeSep(relative(root, id))),
    },
  };
}

/** A file's code with its text from the catalogs. Null if it has none. @param file its path from the root */
export async function fromCatalogs(
  handler: AdapterHandler,
  code: string,
  file: string,
): Promise<Awaited<ReturnType<AdapterHandler["transform"]>> | null> {
  const countTexts = (): number => handler.sharedState.poFilesByLoc.get("en")?.catalog.size ?? 0;
  if (!(handler.fileMatches as (file: string) => boolean)(file)) return null;
  const known = countTexts();
  const result = await handler.transform(code, file);
  if (countTexts() > known) throw new Error(`The catalogs lack text of ${file}. Run: npm run languages`);
  return result;
}
