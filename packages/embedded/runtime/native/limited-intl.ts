import { boundLocales } from "./locale-list.ts";
import { reserveMarks } from "./mark-order.ts";
import { lengthOf, reserveParts, reserveVisits } from "./reserve.ts";
import { executionTicks } from "./ticks.ts";
import { watchIterable } from "./watched-iterable.ts";

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

/** Lets methods that put the marks of a text in order refuse texts for which that takes long. @param locale by default */
export function limitTexts(prototype: object, locale: string): void {
  const { normalize, localeCompare } = prototype as Record<string, AnyFunction>;
  const textOf = (value: unknown): string => {
    const text = value as string;
    reserveMarks(text);
    return text;
  };
  const methods: Readonly<Record<string, AnyFunction>> = {
    normalize(...args) {
      return (normalize as AnyFunction).apply(this == null ? this : textOf(this), args);
    },
    localeCompare(...[other, locales, options]) {
      const self = this == null ? this : textOf(this);
      return (localeCompare as AnyFunction).apply(self, [
        textOf(other),
        boundLocales(locales ?? locale),
        options,
      ]);
    },
  };
  for (const [name, value] of Object.entries(methods)) {
    Object.defineProperty(value, "length", { value: name === "normalize" ? 0 : 1 });
    Object.defineProperty(prototype, name, { value });
  }
}

/** Lets a method pass on its first argument only as what `bound` makes of it. */
export function boundFirst(owner: object, name: string, bound: (value: unknown) => unknown): void {
  const own = Reflect.get(owner, name) as AnyFunction;
  const methods: Readonly<Record<string, AnyFunction>> = {
    [name](...[first, ...rest]) {
      return own.apply(this, [bound(first), ...rest]);
    },
  };
  const value = methods[name] as AnyFunction;
  Object.defineProperty(value, "length", { value: own.length });
  Object.defineProperty(owner, name, { value });
}

/** V8 takes about half a second to join so many texts. */
const longestList = 2 ** 20;

function boundTexts(list: unknown): unknown {
  const check = (count: number): void => {
    if (count > longestList) reserveVisits(Infinity);
  };
  check(lengthOf(list));
  return watchIterable(list, check);
}

/** Lets functions of `Intl` refuse what takes them long: nothing could end them. */
export function limitIntl(intl: Record<string, unknown>): void {
  boundFirst(intl, "getCanonicalLocales", boundLocales);
  const prototypeOf = (name: string): object => (intl[name] as { readonly prototype: object }).prototype;
  for (const name of ["format", "formatToParts"]) boundFirst(prototypeOf("ListFormat"), name, boundTexts);
  boundFirst(prototypeOf("Segmenter"), "segment", (value) => {
    const text = value as string;
    reserveParts(text.length);
    return text;
  });
  limitComparing(prototypeOf("Collator"));
  const constructor = intl["Locale"] as AnyFunction;
  const proxy = new Proxy(constructor, {
    construct: (target, [tag, ...rest]: unknown[], newTarget) =>
      Reflect.construct(target, [boundLocale(tag), ...rest], newTarget) as object,
  });
  Object.defineProperty(constructor.prototype, "constructor", { value: proxy });
  Object.defineProperty(intl, "Locale", { value: proxy });
}

/** A tag that is no text becomes one, unless it is a locale: V8 reads its text itself. */
function boundLocale(tag: unknown): unknown {
  const [bound] = boundLocales([tag]) as readonly unknown[];
  return bound;
}

type Comparison = (first: unknown, second: unknown) => number;

/** A sort may call it a million times, and it has no tick. */
function limitComparing(prototype: object): void {
  const own = Object.getOwnPropertyDescriptor(prototype, "compare") ?? {};
  const getCompare = Reflect.get(own, "get") as (this: unknown) => Comparison;
  const known = new WeakMap<Comparison, Comparison>();
  const { fuel, refuel } = executionTicks;
  const get = function (this: unknown): Comparison {
    const compare = getCompare.call(this);
    const ticking: Comparison = (first, second) => {
      fuel[0] = (fuel[0] as number) - 1;
      if (fuel[0] < 0) refuel();
      const [one, other] = [first as string, second as string];
      reserveMarks(one);
      reserveMarks(other);
      return compare(one, other);
    };
    const made = known.get(compare) ?? ticking;
    Object.defineProperty(made, "name", { value: compare.name });
    known.set(compare, made);
    return made;
  };
  Object.defineProperty(prototype, "compare", { get });
}
