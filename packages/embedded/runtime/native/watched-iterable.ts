import { types } from "node:util";
import { executions } from "../execution/execution.ts";
import { checkLoad } from "../execution/loading.ts";

/** Elements between two checks of time and memory. */
const checkEvery = 256;

/**
 * Lets a list that code produces element by element be ended, if native code is to take all of it: a native function as `next`
 * has no tick. `count` is called with the number of elements so far, and may throw. Lists of the engine, which end by
 * themselves, and generators, which have ticks, stay as they are. So do other values.
 */
export function watchIterable<T>(value: T, count: (elements: number) => void): T {
  if (typeof value !== "object" || value === null || isBuiltIn(value)) return value;
  const method: unknown = Reflect.get(value, Symbol.iterator);
  if (typeof method !== "function") return value;
  const watched: Iterable<unknown> = {
    [Symbol.iterator]: () => watchIterator(Reflect.apply(method, value, []) as Iterator<unknown>, count),
  };
  return watched as T;
}

/** The same for an iterator. */
export function watchIterator(
  iterator: Iterator<unknown>,
  count: (elements: number) => void = () => undefined,
): Iterator<unknown> {
  // V8 has a message for it.
  if (typeof iterator !== "object") return iterator;
  const next = Reflect.get(iterator, "next") as () => IteratorResult<unknown>;
  let elements = 0;
  return {
    next: () => {
      elements += 1;
      if (elements % checkEvery === 0) {
        executions.getStore()?.time.checkAll();
        checkLoad();
        count(elements);
      }
      return Reflect.apply(next, iterator, []);
    },
    return: () => iterator.return?.() ?? { done: true, value: undefined },
  };
}

function isBuiltIn(value: object): boolean {
  if (Object.hasOwn(value, Symbol.iterator)) return false;
  return (
    Array.isArray(value) ||
    ArrayBuffer.isView(value) ||
    types.isSet(value) ||
    types.isMap(value) ||
    types.isSetIterator(value) ||
    types.isMapIterator(value) ||
    types.isGeneratorObject(value) ||
    types.isArgumentsObject(value)
  );
}
