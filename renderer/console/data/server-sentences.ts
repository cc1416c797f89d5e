import { formatCount, plural } from "../../../app/format/quantity.ts";
import { type TranslatedSentence, translatorOf } from "../../../app/format/translate.ts";
import { microPerCredit, spellCredits } from "../../../app/money/credits.ts";

let translate: (sentence: string) => string | null = () => null;

/** Takes the translations of what the server says. English has none. */
export function setServerSentences(sentences: readonly TranslatedSentence[]): void {
  translate = translatorOf(sentences, { ofCount: formatCount, of: valueOf });
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

/** Amounts are written as in this page's language. Other values are names, and whole numbers. */
function valueOf(value: string): string {
  const [, amount] = /^([\d,]+(?:\.\d+)?) credits?$/.exec(value) ?? [];
  if (amount === undefined) return value;
  return spellCredits(BigInt(Math.round(Number(amount.replaceAll(",", "")) * Number(microPerCredit))));
}
