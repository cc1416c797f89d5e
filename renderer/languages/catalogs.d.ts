/** The compiled catalogs. Builds provide them; see vite.languages.ts. */
declare module "virtual:catalogs" {
  import type { CatalogModule } from "wuchale/runtime";

  export function loadCatalog(adapter: string, language: string): Promise<CatalogModule>;
}
