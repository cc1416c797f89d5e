import { type Language, localeOf } from "../../app/format/languages.ts";
import { shownLanguage } from "./choose-language.ts";
import { loadLanguage } from "./pages.loader.ts";

const notLoaded: Readonly<Record<Language, string>> = {
  en: "This page could not be loaded. Reload it.",
  de: "Diese Seite konnte nicht geladen werden. Laden Sie sie neu.",
};

/** Loads a page's language, and then its code, which has text and formats in it. */
export async function startPage(loadCode: (language: Language) => Promise<unknown>): Promise<void> {
  const language = shownLanguage(window);
  document.documentElement.lang = localeOf(language);
  try {
    await loadLanguage(language);
    await loadCode(language);
  } catch (error) {
    // The catalog may be what is missing.
    document.body.textContent = notLoaded[language];
    throw error;
  }
}
