import { readFile } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import type { Plugin } from "vite";
import type { AdapterHandler } from "wuchale";
import { type Language, languages, localeOf } from "./app/format/languages.ts";

const root = import.meta.dirname;
const entry = join(root, "main/desktop/program-text.ts");
/** The module that loads it. */
const loader = join(root, "main/desktop/load-program-text.ts");
/** The mark of a module that is made for one language, after the path of its file. */
const mark = "?language=";
/** The module by which a file with text gets its translations. */
const translations = "\0translations:";

/**
 * Provides the text of the desktop program in each language, from the catalogs of the pages. A page loads its language before its
 * code, and reloads for another one. The program cannot reload. So the module of its text, and all of our own modules that it
 * imports, exist once for each language, and each file has only the translations of its own text. English is the text in the code.
 */
export function programText(): Plugin {
  let opened: Promise<AdapterHandler> | null = null;
  const catalogs = (): Promise<AdapterHandler> => (opened ??= openCatalogs());
  return {
    name: "program-text",
    enforce: "pre",
    // What it makes also depends on the catalogs, so Vitest must not keep it.
    configureVitest({ defineCacheKeyGenerator }) {
      defineCacheKeyGenerator(({ id }) => (id.includes(mark) ? false : undefined));
    },
    async resolveId(source, importer) {
      const from = splitId(importer ?? "");
      if (from === null) return null;
      // wuchale's code imports these two. Only markup needs the second one.
      if (source.endsWith("/pages.loader.ts") || source.startsWith("@wuchale/")) {
        return translations + from.path + mark + from.language;
      }
      const found = await this.resolve(source, from.path);
      return found !== null && isOurs(found.id) ? found.id + mark + from.language : found;
    },
    async load(id) {
      if (fileOf(id) === fileOf(loader)) return loaderCode();
      const asked = splitId(id);
      if (asked === null) return null;
      const { path, language } = asked;
      if (path.startsWith(translations)) {
        return translationsOf(await catalogs(), fileOf(path.slice(translations.length)), language);
      }
      const file = fileOf(path);
      if (file === "app/format/locale.ts") return `export const locale = "${localeOf(language)}";`;
      const code = await readFile(path, "utf8");
      return await translated(await catalogs(), code, file);
    },
  };
}

/** Tests that need no text of another language do not wait for wuchale. */
async function openCatalogs(): Promise<AdapterHandler> {
  const { catalogsIn } = await import("./wuchale.config.ts");
  const handler = catalogsIn("renderer/languages");
  await handler.init(new Map());
  return handler;
}

async function translated(handler: AdapterHandler, code: string, file: string): Promise<string> {
  const { fromCatalogs } = await import("./vite.languages.ts");
  return (await fromCatalogs(handler, code, file))?.code ?? code;
}

/** The module with the translations of one file's text. */
function translationsOf(handler: AdapterHandler, file: string, language: Language): string {
  const { poFilesByLoc, compiled, indexTracker } = handler.sharedState;
  const items = [...(poFilesByLoc.get(language)?.catalog ?? [])]
    .filter(([, { references }]) => references.includes(file))
    .map(([key]) => indexTracker.get(key))
    .map((index) => [index, compiled.get(language)?.items[index]] as const);
  const formOf = poFilesByLoc.get(language)?.pluralRule.plural ?? "0";
  return `import toRuntime from "wuchale/runtime";
    const runtime = toRuntime({ c: ${JSON.stringify(Object.fromEntries(items))}, p: (n) => ${formOf} }, "${language}");
    export const getRuntime = () => runtime;
    export const getRuntimeRx = getRuntime;
    export default null;`;
}

function loaderCode(): string {
  const loads = Object.keys(languages).map((language) => {
    const module = language === "en" ? entry : entry + mark + language;
    return `${language}: () => import(${JSON.stringify(module)}),`;
  });
  return `const modules = { ${loads.join(" ")} };
    export const loadProgramText = async (language) => (await modules[language]()).programText;`;
}

/** The path and the language of a module that is made for one. Null for all others. */
function splitId(id: string): { readonly path: string; readonly language: Language } | null {
  const [path = "", language] = id.split(mark);
  return language === undefined ? null : { path, language: language as Language };
}

/** A file's path from the root, as the catalogs write it. */
function fileOf(path: string): string {
  return relative(root, path).replaceAll(sep, "/");
}

/** Whether a module is a source file of this repository, and no package's. */
function isOurs(id: string): boolean {
  const file = fileOf(id);
  return isAbsolute(id) && !file.startsWith("..") && !file.includes("node_modules/");
}
