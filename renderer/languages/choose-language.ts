import { isLanguage, type Language, languageOf } from "../../app/format/languages.ts";

const storageKey = "gleaner.language";

/** The language that this person chose in this browser. Null without a choice. */
export function chosenLanguage(storage: Pick<Storage, "getItem">): Language | null {
  const stored = storage.getItem(storageKey);
  return isLanguage(stored) ? stored : null;
}

/** The language of the pages in this browser. */
export function shownLanguage({ localStorage, navigator }: Window): Language {
  return languageOf(chosenLanguage(localStorage), navigator.languages);
}

/** Keeps a choice; null forgets it. The page has to reload. */
export function chooseLanguage(
  storage: Pick<Storage, "setItem" | "removeItem">,
  language: Language | null,
): void {
  if (language === null) storage.removeItem(storageKey);
  else storage.setItem(storageKey, language);
}
