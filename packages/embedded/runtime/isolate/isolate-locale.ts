import type vm from "node:vm";
import { boundFirst, limitIntl, limitTexts } from "../native/limited-intl.ts";
import { boundLocales } from "../native/locale-list.ts";
import { reserveCoding } from "../native/reserve.ts";
import { lazyGlobal } from "./lazy-global.ts";

const locale = "en-US";

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

/** Methods that fall back to the process's locale, with the position of their locale argument. */
const subtleMethods = [
  ["Date", "toLocaleString", 0],
  ["Date", "toLocaleDateString", 0],
  ["Date", "toLocaleTimeString", 0],
  ["Number", "toLocaleString", 0],
  ["BigInt", "toLocaleString", 0],
  ["Array", "toLocaleString", 0],
  ["String", "toLocaleLowerCase", 0],
  ["String", "toLocaleUpperCase", 0],
] as const;

/**
 * Sets the locale of a realm to American English, independently of the machine.
 * @param now the time that the running function sees
 */
export function fixLocale(global: vm.Context, now: () => number): void {
  for (const [type, method, place] of subtleMethods) {
    const { prototype } = global[type] as { prototype: object };
    const own = Reflect.get(prototype, method) as AnyFunction;
    const value: AnyFunction = function (...args) {
      if (typeof this === "string") reserveCoding(this);
      args[place] = boundLocales(args[place] ?? locale);
      return own.apply(this, args);
    };
    Object.defineProperty(prototype, method, { value });
  }
  limitTexts((global["String"] as StringConstructor).prototype, locale);
  const intl = global["Intl"] as Record<string, unknown>;
  lazyGlobal(global, "Intl", () => withLocales(intl, now));
}

function withLocales(intl: Record<string, unknown>, now: () => number): unknown {
  formatNow((intl["DateTimeFormat"] as { readonly prototype: Intl.DateTimeFormat }).prototype, now);
  limitIntl(intl);
  for (const name of Object.getOwnPropertyNames(intl)) {
    const constructor = intl[name];
    if (typeof constructor === "function" && "supportedLocalesOf" in constructor) {
      boundFirst(constructor, "supportedLocalesOf", boundLocales);
      Object.defineProperty(intl, name, { value: withLocale(constructor as unknown as AnyFunction) });
    }
  }
  // Not part of JavaScript, and it takes the machine's locale.
  Reflect.deleteProperty(intl, "v8BreakIterator");
  return intl;
}

type Format = (date?: unknown) => unknown;

/** Without a date, a format shows the time that the function sees. Its `format` is a getter of a bound function. */
function formatNow(prototype: Intl.DateTimeFormat, now: () => number): void {
  const own = Object.getOwnPropertyDescriptor(prototype, "format") ?? {};
  const getFormat = Reflect.get(own, "get") as (this: unknown) => Format;
  const formats = new WeakMap<Format, Format>();
  const get = function (this: unknown): Format {
    const format = getFormat.call(this);
    const known = formats.get(format);
    if (known !== undefined) return known;
    const withNow: Format = (date) => format(date === undefined ? now() : date);
    Object.defineProperty(withNow, "name", { value: format.name });
    formats.set(format, withNow);
    return withNow;
  };
  Object.defineProperty(prototype, "format", { get });
  const formatToParts = Reflect.get(prototype, "formatToParts") as AnyFunction;
  const methods: Readonly<Record<string, AnyFunction>> = {
    formatToParts(date) {
      return formatToParts.call(this, date === undefined ? now() : date);
    },
  };
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(prototype, name, { value });
}

function withLocale(constructor: AnyFunction): AnyFunction {
  const localized = ([locales, ...rest]: unknown[]): unknown[] => [boundLocales(locales ?? locale), ...rest];
  const proxy = new Proxy(constructor, {
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, localized(args), newTarget) as object,
    apply: (target, self, args: unknown[]) => target.apply(self, localized(args)),
  });
  Object.defineProperty(constructor.prototype, "constructor", { value: proxy });
  return proxy;
}
