import { expect, test } from "vitest";
import { wasmProblem } from "./wasm-module.ts";

const header = [0, 97, 115, 109, 1, 0, 0, 0];
const module = (...sections: readonly (readonly number[])[]) =>
  Uint8Array.from([...header, ...sections.flat()]);
/** A section that an assembler names. */
const named = [0, 5, 4, 116, 101, 115, 116];
const adding = [1, 7, 1, 0x60, 2, 127, 127, 1, 127];
/** A function of references, in one and in two bytes. */
const referring = [1, 8, 1, 0x60, 2, 0x63, 0x70, 0x6f, 1, 0x70];
const array = [0x5e, 0x7f, 1];
const garbageCollected = "types of garbage-collected values are not supported";
const tables = (count: number) => [
  4,
  1 + 3 * count,
  count,
  ...new Array<number[]>(count).fill([0x70, 0, 1]).flat(),
];

test.each([
  ["no module", 5, null],
  ["an empty one", module(), null],
  ["functions", module(named, adding), null],
  ["functions of references", module(referring), null],
  ["an array", module([1, 4, 1, ...array]), garbageCollected],
  ["an array after a function", module(named, [1, 10, 2, ...adding.slice(3), ...array]), garbageCollected],
  ["an array after references", module([1, 11, 2, ...referring.slice(3), ...array]), garbageCollected],
  ["a group of types", module([1, 6, 1, 0x4e, 1, ...array]), garbageCollected],
  ["a few tables", module(adding, tables(5)), null],
  ["many tables", module(adding, [4, 0x80, 0x80, 0x10, 0x80, 0x80, 0x10]), "a module may have 64 tables"],
  ["a section that is cut off", module([1, 127]), null],
])("what a module may have: %s", (_, source, problem) => {
  expect(wasmProblem(source)).toBe(problem);
  if (source instanceof Uint8Array) expect(wasmProblem(source.buffer)).toBe(problem);
});

test.each(["buffer", "byteLength", "byteOffset"])("a property of its own hides nothing: %s", (name) => {
  const lie = name === "buffer" ? new ArrayBuffer(0) : 0;
  for (const bytes of [module([1, 4, 1, ...array]), new DataView(module([1, 4, 1, ...array]).buffer)])
    expect(wasmProblem(Object.defineProperty(bytes, name, { value: lie }))).toBe(garbageCollected);
  const { buffer } = module([1, 4, 1, ...array]);
  expect(wasmProblem(Object.setPrototypeOf(buffer, null))).toBe(garbageCollected);
});
