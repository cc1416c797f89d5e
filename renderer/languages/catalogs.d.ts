/** The compiled catalogs. Builds provide it; see vite.languages.ts. */
declare module "virtual:catalogs" {
  export function loadCatalog(
    adapter: string,
    language: string,
  ): Promise<import("wuchale/runtime").CatalogModule>;
}
