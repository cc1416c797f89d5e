/** The languages that have a catalog, each by its own name. */
export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

/** The locale of numbers and dates in each language. */
const locales: Readonly<Record<Language, string>> = { en: "en-US", de: "de-DE" };

export function isLanguage(value: unknown): value is Language {
  return typeof value === "string" && Object.hasOwn(languages, value);
}

/**
 * The language of a page or of the program: the chosen one, else the first of the system's that has a catalog, else English.
 * @param preferred as in `navigator.languages`, e.g. ["de-AT", "en"]
 */
export function languageOf(chosen: Language | null, preferred: readonly string[]): Language {
  if (chosen !== null) return chosen;
  return preferred.map((tag) => tag.toLowerCase().split("-")[0]).find(isLanguage) ?? "en";
}

export function localeOf(language: Language): string {
  return locales[language];
}
