import fc from "fast-check";
import { expect, it } from "vitest";
import { isRecord, parseJson } from "../../json.ts";
import { OpenList, OpenObject, OpenText, OpenWord, readJsonStart, unwritten } from "./json-start.ts";

/** Ends of what may be open inside the innermost list or object. */
const ends = [
  "",
  "1",
  ".0",
  "0",
  '"',
  '":1',
  ":1",
  '1":1',
  '"":1',
  '"a":1',
  "e",
  "ue",
  "rue",
  "l",
  "ll",
  "ull",
]
  .concat(["se", "lse", "alse", "0000", "000", "00", "n", "u0000"])
  .flatMap((end) => [end, `${end}"`, `${end}":1`]);
const closings = [
  ...new Set(
    ["", "]", "}"].flatMap((a) => ["", "]", "}"].flatMap((b) => ["", "]", "}"].map((c) => a + b + c))),
  ),
];

/** Whether some short end makes JSON of a text with at most three open lists and objects. */
function canBecomeJson(text: string): boolean {
  const open = text.replace(/[^[{]/g, "").length;
  const possible = closings.filter((closing) => closing.length <= open);
  return ends.some((end) => possible.some((closing) => parseJson(text + end + closing) !== undefined));
}

const pieces = [
  "{",
  "[",
  "}",
  "]",
  ",",
  ":",
  '"',
  '"a"',
  "\\",
  "\\u",
  "0",
  "1",
  "-",
  ".",
  "e",
  "+",
  "t",
  "tru",
  "n",
];
const texts = fc
  .array(fc.constantFrom(...pieces, "null", " ", "\n", "x", "\u0001"), { maxLength: 7 })
  .map((all) => all.join(""))
  .filter((text) => text.replace(/[^[{]/g, "").length <= 3);

it("reads exactly the texts that can become JSON", () => {
  let refused = 0;
  fc.assert(
    fc.property(texts, (text) => {
      const isStart = canBecomeJson(text);
      if (!isStart) refused += 1;
      expect(readJsonStart(text) !== null).toBe(isStart);
    }),
    { seed: 12, numRuns: 800 },
  );
  expect(refused).toBeGreaterThan(200);
});

it("gives the value of a whole text, like a JSON parser", () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom("", " ", "\n"), (json, blank) => {
      const value = JSON.parse(json) as unknown;
      // More digits might follow a number.
      const read = readJsonStart(`${blank}${json}${blank}`)?.value;
      if (typeof value === "object" && value !== null) expect(read).toEqual(value);
      else expect(read instanceof OpenWord ? JSON.parse(read.start) : read).toEqual(value);
    }),
  );
});

it("reads each beginning of a JSON text as a value that is cut on its right side only", () => {
  fc.assert(
    fc.property(fc.json(), fc.double({ min: 0, max: 1, noNaN: true }), (json, share) => {
      const cut = json.slice(0, Math.floor(json.length * share));
      const start = readJsonStart(cut);
      expect(start).not.toBeNull();
      expect(isCutOf(start?.value, JSON.parse(json))).toBe(true);
    }),
  );
});

function isCutOf(cut: unknown, value: unknown): boolean {
  if (cut === unwritten) return true;
  if (cut instanceof OpenText) return typeof value === "string" && value.startsWith(cut.start);
  if (cut instanceof OpenWord) return typeof value !== "string";
  if (cut instanceof OpenList)
    return Array.isArray(value) && cut.items.every((each, index) => isCutOf(each, value[index]));
  if (!(cut instanceof OpenObject)) return JSON.stringify(cut) === JSON.stringify(value);
  return (
    isRecord(value) &&
    cut.names.every((name) =>
      name instanceof OpenText
        ? Object.keys(value).some((each) => each.startsWith(name.start))
        : Object.hasOwn(value, name),
    )
  );
}

it.each([
  ["a character by its number", String.raw`"a\u00`, "a"],
  ["a backslash", String.raw`"a\\\\` + "\\", String.raw`a\\`],
  ["the halves of a character", String.raw`"\ud83d\udc`, "\ud83d"],
  ["a character of several tokens", '"Gr\uFFFD\uFFFD', "Gr"],
])("reads a text that was cut within %s", (_within, text, start) => {
  expect(readJsonStart(text)?.value).toEqual(new OpenText(start));
});

it("reads a large text in the time of a test, however deep it is", () => {
  // At a cost that grows with the square of its length, one text would need minutes.
  for (const text of [
    "[".repeat(500_000),
    '{"":'.repeat(125_000),
    `"${"\\\\".repeat(250_000)}`,
    "1".repeat(500_000),
  ])
    expect(readJsonStart(text)).not.toBeNull();
  expect(readJsonStart(`[${"[],".repeat(150_000)}}`)).toBeNull();
});
