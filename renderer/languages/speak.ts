import { chosenLanguage, languageOf, localeOf } from "./choose-language.ts";
import { loadLanguage } from "./pages.loader.ts";

/** Prepares a page for its language. Only code that is loaded afterward has text and formats in it. */
export async function speak(page: Pick<Window, "document" | "navigator" | "localStorage">): Promise<void> {
  const language = languageOf(chosenLanguage(page.localStorage), page.navigator.languages);
  page.document.documentElement.lang = localeOf(language);
  await loadLanguage(language);
}
