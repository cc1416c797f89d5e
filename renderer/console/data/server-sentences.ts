import { plural } from "../../../app/format/quantity.ts";
import { microPerCredit, spellCredits } from "../../../app/money/credits.ts";

/** A sentence of the server in English, and in the language of this page. Both have the same values: "Only {0} are available." */
export type ServerSentence = readonly [english: string, translated: string];

type Translation = { readonly pattern: RegExp; readonly translated: string };

let translations: readonly Translation[] = [];

/** Takes the translations of what the server says. English has none. */
export function setServerSentences(sentences: readonly ServerSentence[]): void {
  translations = sentences.map(([english, translated]) => ({ pattern: patternOf(english), translated }));
}

/**
 * A sentence of the server in the language of this page. The server speaks English, and may be of another version, so its sentence is
 * looked up like text in the code: by the English words. A sentence without a translation stays as it is.
 */
export function sayServerSentence(sentence: string): string {
  const [, why, seconds] = retry.exec(sentence) ?? [];
  const translated = translate(why ?? sentence);
  if (translated === null) return sentence;
  return seconds === undefined ? translated : `${translated} ${tryAgainIn(Number(seconds))}`;
}

/** The server appends this to a refusal that ends by itself. */
const retry = /^(.+) Try again in (\d+) seconds?\.$/s;

function tryAgainIn(seconds: number): string {
  return plural(seconds, ["Try again in # second.", "Try again in # seconds."]);
}

function translate(sentence: string): string | null {
  for (const { pattern, translated } of translations) {
    const values = pattern.exec(sentence)?.groups;
    if (values !== undefined)
      return translated.replace(place, (_, at: string) => valueOf(values[`v${at}`] ?? ""));
  }
  return null;
}

const place = /\{(\d)\}/g;

/** Amounts are written as in this page's language. Other values are names, and whole numbers. */
function valueOf(value: string): string {
  const [, amount] = /^([\d,]+(?:\.\d+)?) credits?$/.exec(value) ?? [];
  if (amount === undefined) return value;
  return spellCredits(BigInt(Math.round(Number(amount.replaceAll(",", "")) * Number(microPerCredit))));
}

function patternOf(english: string): RegExp {
  const source = english
    .split(/(\{\d\})/)
    .map((part) => (/^\{\d\}$/.test(part) ? `(?<v${part[1] ?? ""}>.+)` : escaped(part)))
    .join("");
  // The group makes every match have groups.
  return new RegExp(`^${source}(?<end>)$`, "s");
}

function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}
