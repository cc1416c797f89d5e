/** The compiled catalogs. Builds provide them; see vite.languages.ts. */
declare module "virtual:catalogs" {
  import type { CatalogModule } from "wuchale/runtime";

  export function loadCatalog(adapter: string, language: string): Promise<CatalogModule>;
}

/** The server's sentences, by language. Builds provide it; see vite.languages.ts. */
declare module "virtual:server-sentences" {
  export function loadServerSentences(
    language: string,
  ): Promise<readonly (readonly [english: string, translated: string])[]>;
}
