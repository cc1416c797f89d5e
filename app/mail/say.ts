import { type Language, localeOf } from "../format/languages.ts";
import { translatorOf } from "../format/translate.ts";
import translations from "./translations.json" with { type: "json" };

/** The translation of each English sentence of the mails, by language. `npm run languages` makes the file. */
const known: Readonly<Partial<Record<Language, Readonly<Record<string, string>>>>> = translations;

/** Says sentences of mails in a language. A server writes English, so they are looked up by their English words. */
export function sayIn(language: Language): (english: string) => string {
  const sentences = known[language];
  if (sentences === undefined) return (english) => english;
  const number = new Intl.NumberFormat(localeOf(language), { maximumFractionDigits: 6 });
  const percent = new Intl.NumberFormat(localeOf(language), { style: "percent" });
  const translate = translatorOf(Object.entries(sentences), {
    ofCount: (count) => number.format(count),
    of: (value) => {
      const [, amount, unit] = /^(-?[\d,]+(?:\.\d+)?)(%| cr)$/.exec(value) ?? [];
      if (amount !== undefined) {
        const size = Number(amount.replaceAll(",", ""));
        return unit === "%" ? percent.format(size / 100) : `${number.format(size)} cr`;
      }
      // A name may be equal to a sentence, but not to one with a count.
      return /^[\d,]+ /.test(value) ? (translate(value) ?? value) : value;
    },
  });
  return (english) => translate(english) ?? english;
}
