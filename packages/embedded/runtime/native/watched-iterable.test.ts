import { expect, test } from "vitest";
import { watchIterable } from "./watched-iterable.ts";

const free = (): void => undefined;
const numbers = (end: number): Iterable<number> & { readonly returned: () => boolean } => {
  let returned = false;
  return {
    returned: () => returned,
    [Symbol.iterator]: () => {
      let n = 0;
      return {
        next: () => ({ done: n >= end, value: (n += 1) }),
        return: () => {
          returned = true;
          return { done: true, value: undefined };
        },
      };
    },
  };
};

test("a watched list has the same elements, and is told when it is left early", () => {
  expect([...watchIterable(numbers(3), free)]).toEqual([1, 2, 3]);
  expect(Array.from(watchIterable([7, 8].values(), free))).toEqual([7, 8]);
  const left = numbers(3);
  const [first] = watchIterable(left, free);
  expect([first, left.returned()]).toEqual([1, true]);
});

test("the errors of a list that is none are V8's", () => {
  for (const bad of [{ [Symbol.iterator]: () => null }, { [Symbol.iterator]: () => ({}) }, { a: 1 }]) {
    const message = (list: unknown): string => {
      try {
        return String([...(list as Iterable<unknown>)].length);
      } catch (error) {
        return (error as Error).name;
      }
    };
    expect(message(watchIterable(bad, free))).toBe(message(bad));
  }
});

test("a list without end is counted", () => {
  const endless = { [Symbol.iterator]: () => ({ next: Object }) } as unknown as Iterable<unknown>;
  const watched = watchIterable(endless, (elements) => {
    if (elements > 1_000) throw new Error("too many");
  });
  expect(() => [...watched]).toThrow("too many");
  expect(() => new Set(watched)).toThrow("too many");
});

test("lists of the engine, generators and other values stay as they are", () => {
  function* generated() {
    yield 1;
  }
  const values = [
    [1],
    new Set([1]),
    new Map(),
    new Set([1]).values(),
    new Uint8Array(2),
    generated(),
    "abc",
    null,
    5,
  ];
  for (const value of values) expect(watchIterable(value, free)).toBe(value);
});
