/**
 * The language of numbers, dates and times, such as "de-DE". A page says it in its `lang` attribute before it loads this
 * code. Programs and servers write English.
 */
export const locale: string = pageLanguage() ?? "en-US";

function pageLanguage(): string | undefined {
  const { document } = globalThis as { document?: { documentElement?: { lang?: string } } };
  return document?.documentElement?.lang || undefined;
}
