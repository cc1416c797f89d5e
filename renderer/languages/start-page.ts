import { type Language, languageOf, localeOf } from "../../app/format/languages.ts";
import { chosenLanguage } from "./choose-language.ts";
import { loadLanguage } from "./pages.loader.ts";

/** Loads a page's language, and then its code, which has text and formats in it. */
export async function startPage(loadCode: (language: Language) => Promise<unknown>): Promise<void> {
  const language = languageOf(chosenLanguage(window.localStorage), window.navigator.languages);
  document.documentElement.lang = localeOf(language);
  try {
    await loadLanguage(language);
    await loadCode(language);
  } catch (error) {
    // Not even the words are there.
    document.body.textContent = "This page could not be loaded. Reload it.";
    throw error;
  }
}
