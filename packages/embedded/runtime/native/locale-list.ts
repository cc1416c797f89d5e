import { reserveVisits } from "./reserve.ts";

/** V8 compares each locale with all earlier ones, and each part of a locale with its other parts. */
const mostLocales = 4_096;
const longestLocale = 4_096;
const mostCharacters = 65_536;

const textOfLocale = Reflect.get(Intl.Locale.prototype, "toString") as (this: unknown) => string;

/**
 * The locales that code gives to native code, as a text or a list that V8 reads in a tenth of a second. Throws if they are too
 * many or too long and the running function must end.
 */
export function boundLocales(locales: unknown): unknown {
  if (typeof locales === "string") checkLocale(locales);
  const isObject = (typeof locales === "object" && locales !== null) || typeof locales === "function";
  return isObject && !isLocale(locales) ? listOf(locales) : locales;
}

function listOf(locales: object): readonly unknown[] {
  const length = Math.trunc(Number(Reflect.get(locales, "length"))) || 0;
  if (length > mostLocales) reserveVisits(Infinity);
  const list: unknown[] = [];
  let characters = 0;
  for (let at = 0; at < length; at += 1) {
    if (!(at in locales)) continue;
    const each: unknown = Reflect.get(locales, at);
    const locale =
      typeof each === "object" && each !== null && !isLocale(each) ? (each as unknown as string) : each;
    if (typeof locale === "string") characters += checkLocale(locale);
    if (characters > mostCharacters) reserveVisits(Infinity);
    list.push(locale);
  }
  return list;
}

function checkLocale({ length }: string): number {
  if (length > longestLocale) reserveVisits(Infinity);
  return length;
}

function isLocale(value: unknown): boolean {
  try {
    Reflect.apply(textOfLocale, value, []);
    return true;
  } catch {
    return false;
  }
}
