/** The languages that have a catalog, each by its own name. */
export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

/** The locale of numbers and dates in each language. */
const locales: Readonly<Record<Language, string>> = { en: "en-US", de: "de-DE" };

const storageKey = "gleaner.language";

export function isLanguage(value: unknown): value is Language {
  return typeof value === "string" && Object.hasOwn(languages, value);
}

/** The language that this person chose in this browser. Null without a choice. */
export function chosenLanguage(storage: Pick<Storage, "getItem">): Language | null {
  const stored = storage.getItem(storageKey);
  return isLanguage(stored) ? stored : null;
}

/** Keeps a choice; null forgets it. The page has to reload. */
export function chooseLanguage(
  storage: Pick<Storage, "setItem" | "removeItem">,
  language: Language | null,
): void {
  if (language === null) storage.removeItem(storageKey);
  else storage.setItem(storageKey, language);
}

/**
 * The language of a page: the chosen one, else the first of the browser's that has a catalog, else English.
 * @param preferred as in `navigator.languages`, e.g. ["de-AT", "en"]
 */
export function languageOf(chosen: Language | null, preferred: readonly string[]): Language {
  if (chosen !== null) return chosen;
  return preferred.map((tag) => tag.toLowerCase().split("-")[0]).find(isLanguage) ?? "en";
}

export function localeOf(language: Language): string {
  return locales[language];
}
