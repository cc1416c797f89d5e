import { expect, test } from "vitest";
import {
  matchAllInTime,
  matchInTime,
  matchOnceInTime,
  replaceInTime,
  watchPattern,
} from "./watched-pattern.ts";

const pattern = (flags: string): RegExp => new RegExp("(?=a)(?:(?<word>a+)b*)+", flags);
const isWatched = (value: unknown): boolean =>
  value instanceof RegExp && value.exec !== RegExp.prototype.exec;
const text = "aab ab, aaaabbb, xxxxxxxxxxxxxxxx abba";

test.each<[string, (regExp: RegExp) => unknown]>([
  ["exec", (regExp) => regExp.exec(text)],
  ["test", (regExp) => [regExp.test(text), regExp.lastIndex]],
  ["match", (regExp) => text.match(regExp)],
  ["matchAll", (regExp) => (regExp.global ? [...text.matchAll(regExp)] : null)],
  ["replace", (regExp) => text.replace(regExp, "[$<word>]")],
  ["split", (regExp) => text.split(regExp)],
  ["search", (regExp) => text.search(regExp)],
  ["no match", (regExp) => "x".repeat(40).match(regExp)],
])("a watched regular expression gives the same result: %s", (_, use) => {
  for (const flags of ["", "g", "gi", "y", "d"]) {
    const watched = watchPattern(pattern(flags));
    expect(isWatched(watched)).toBe(true);
    expect(use(watched)).toEqual(use(pattern(flags)));
  }
});

test("a watched iterator finds all of many matches", () => {
  const long = "ab ".repeat(1_000);
  expect([...long.matchAll(watchPattern(pattern("g")))]).toEqual([...long.matchAll(pattern("g"))]);
  const matches = long.matchAll(watchPattern(/(?=a)(?:(a+)b*)+(?= ab $)/g));
  expect([matches.next().done, matches.next().done, matches.next().done]).toEqual([false, true, true]);
});

test("a long text has the same matches and replacements, and a function is called once for each match", () => {
  const long = "ab ".repeat(6_000);
  const words = /[ab]+(?= )/g;
  expect(matchInTime(words, long, () => long.match(words))).toEqual(long.match(words));
  expect([...matchAllInTime(words, long, long.matchAll(words))]).toHaveLength(6_000);
  const calls: string[] = [];
  const count = (word: string): string => String(calls.push(word));
  const replace = (by: unknown): string => long.replace(words, by as string);
  expect(replaceInTime(words, long, "x", replace)).toBe("x ".repeat(6_000));
  expect(replaceInTime(words, long, count, replace).slice(0, 6)).toBe("1 2 3 ");
  expect(calls).toHaveLength(6_000);
  const sticky = /[ab]+/y;
  sticky.lastIndex = 3;
  expect(
    replaceInTime(
      sticky,
      long,
      () => "x",
      (by) => long.replace(sticky, by as string),
    ).slice(0, 5),
  ).toBe("ab x ");
  expect(sticky.lastIndex).toBe(5);
});

test("a parser of a long text finds the same matches one after the other, also if it goes back", () => {
  const long = "ab (cd) ".repeat(6_000);
  for (const flags of ["g", "y", "gi"]) {
    const plain = new RegExp("\\s*(\\w+|[()]+)", flags);
    const watched = new RegExp(plain);
    const next = (): unknown => {
      const found = matchOnceInTime(watched, long, () => watched.exec(long));
      const expected = plain.exec(long);
      expect([found, watched.lastIndex]).toEqual([expected, plain.lastIndex]);
      return expected;
    };
    for (let i = 0; i < 3_000; i += 1) next();
    plain.lastIndex = watched.lastIndex = 3;
    while (next() !== null);
  }
});

test("a match is found even if the next one would take very long", () => {
  const long = `ab ${"a".repeat(20_000)}`;
  const pattern = /(a+)+b|(c+)+d/gi;
  expect(matchOnceInTime(pattern, long, () => pattern.exec(long))?.[0]).toBe("ab");
  expect(pattern.lastIndex).toBe(2);
});

test("a regular expression that V8 can end, and any other value, stays as it is", () => {
  for (const value of [/(a+)+$/, /(?=a)b+/, /a+b+c+/, "(?=a)(a+)+", null, { source: "(?=a)(a+)+" }]) {
    expect(watchPattern(value)).toBe(value);
    expect(isWatched(value)).toBe(false);
  }
});

test("a frozen expression matches a long text, too", () => {
  const frozen = Object.freeze(/a*b*c*d/);
  const long = "abc".repeat(10_000);
  expect(matchOnceInTime(frozen, long, (of) => frozen.test(of as string))).toBe(false);
  const text = `${long}d`;
  const replaced = replaceInTime(
    frozen,
    text,
    () => "",
    (by) => text.replace(frozen, by as string),
  );
  expect(replaced).toBe(text.replace(/a*b*c*d/, ""));
});

test("an object is made a text once, before its length is known", () => {
  let made = 0;
  const value = { toString: () => ((made += 1), "ab".repeat(10_000)) };
  const wanted = /(?=a)(?:(a+)b*)+$/i;
  expect(matchOnceInTime(wanted, value, (of) => wanted.test(of as string))).toBe(true);
  expect(made).toBe(1);
});
