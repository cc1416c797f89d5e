import { join, relative } from "node:path";
import type { Plugin } from "vite";
import { type AdapterHandler, normalizeSep } from "wuchale";
import { languages as allLanguages } from "./app/format/languages.ts";
import { catalogsIn, isOfServer } from "./wuchale.config.ts";

const root = import.meta.dirname;
const folder = "renderer/languages";
/** The module by which `renderer/languages/pages.loader.ts` loads the compiled catalogs. */
const catalogs = "virtual:catalogs";
/** The module by which a page loads the translations of what the server says. With a language after a slash: these themselves. */
const serverSentences = "virtual:server-sentences";

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
    resolveId(id) {
      if (id === catalogs) return join(root, folder, ".wuchale/pages.proxy.js");
      return id.startsWith(serverSentences) ? `\0${id}` : null;
    },
    load(id) {
      if (!id.startsWith(`\0${serverSentences}`)) return null;
      const language = id.slice(serverSentences.length + 2);
      return language === "" ? loaderOfSentences() : sentencesOf(handler, language);
    },
    transform: {
      order: "pre",
      handler: (code, id) => fromCatalogs(handler, code, normalizeSep(relative(root, id))),
    },
  };
}

/** English needs no translation. */
function loaderOfSentences(): string {
  const loads = Object.keys(allLanguages)
    .filter((language) => language !== "en")
    .map((language) => `${language}: () => import("${serverSentences}/${language}"),`);
  return `const modules = { ${loads.join(" ")} };
    export const loadServerSentences = async (language) => (await modules[language]?.())?.sentences ?? [];`;
}

/** What the server says, in English and in the language. */
function sentencesOf(handler: AdapterHandler, language: string): string {
  const items = [...(handler.sharedState.poFilesByLoc.get(language)?.catalog.values() ?? [])];
  const sentences = items
    .filter(({ references }) => references.some(isOfServer))
    .map(({ msgid, msgstr }) => [msgid, msgstr[0]]);
  return `export const sentences = ${JSON.stringify(sentences)};`;
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
