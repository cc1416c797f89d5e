/** A sentence in English and in another language, with the same values: "Only {0} are available." or "# jobs wait." */
export type TranslatedSentence = readonly [english: string, translated: string];

/** How a language writes the values of sentences. */
type Values = { readonly ofCount: (count: number) => string; readonly of: (value: string) => string };

/**
 * Looks finished sentences up by their English words. Null for a sentence without a translation.
 * @param values how the language writes them. `of` gets all but the counts at "#": names, amounts, and sentences within a sentence.
 */
export function translatorOf(
  sentences: readonly TranslatedSentence[],
  values: Values,
): (english: string) => string | null {
  const known = sentences.map(([english, translated]) => ({ pattern: patternOf(english), translated }));
  return (english) => {
    for (const { pattern, translated } of known) {
      const found = pattern.exec(english)?.groups;
      if (found !== undefined)
        return translated.replace(place, (_, at?: string) =>
          at === undefined
            ? values.ofCount(Number((found["count"] ?? "").replaceAll(",", "")))
            : values.of(found[`v${at}`] ?? ""),
        );
    }
    return null;
  };
}

const place = /\{(\d)\}|#/g;

function patternOf(english: string): RegExp {
  const source = english
    .replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
    .replaceAll(/\\\{(\d)\\\}/g, "(?<v$1>.+)")
    .replace("#", String.raw`(?<count>[\d,]+)`);
  // The group makes every match have groups.
  return new RegExp(`^${source}(?<end>)$`, "s");
}
