import { chosenLanguage, languageOf, localeOf } from "./choose-language.ts";
import { loadLanguage } from "./pages.loader.ts";

/** Prepares a page for its language. Load code with text or formats only after this. */
export async function speak(page: Pick<Window, "document" | "navigator" | "localStorage">): Promise<void> {
  const language = languageOf(chosenLanguage(page.localStorage), page.navigator.languages);
  page.document.documentElement.lang = localeOf(language);
  await loadLanguage(language);
}
