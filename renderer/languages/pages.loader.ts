import { loadCatalog } from "virtual:catalogs";
import toRuntime from "wuchale/runtime";

let runtime = toRuntime();

/** Loads a language's catalog. Code with text must be loaded after it. */
export async function loadLanguage(language: string): Promise<void> {
  runtime = toRuntime(await loadCatalog("pages", language), language);
}

/** The name by which wuchale's code asks for the catalog. */
export const getRuntime = (): typeof runtime => runtime;
/** wuchale imports this name too. Nothing reacts to a language: the page reloads. */
export const getRuntimeRx = (): typeof runtime => runtime;
