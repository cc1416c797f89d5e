import { join } from "node:path";
import { wuchale } from "@wuchale/vite-plugin";
import type { Plugin } from "vite";

/** The module by which `renderer/languages/catalogs.ts` loads the compiled catalogs. */
const catalogs = "virtual:catalogs";

/** Takes the text of a page from the catalogs in renderer/languages, which wuchale.config.ts describes. */
export function languages(): Plugin {
  const here = import.meta.dirname;
  const plugin = wuchale(join(here, "wuchale.config.ts"));
  return {
    name: "languages",
    enforce: "pre",
    // wuchale names files relative to the root, which is the page's folder for Vite and the repository for the catalogs.
    configResolved: async (config) => plugin.configResolved({ ...config, root: here }),
    resolveId: (id) => (id === catalogs ? join(here, "renderer/languages/.wuchale/pages.proxy.js") : null),
    transform: plugin.transform,
  };
}
