import { expect, test } from "vitest";
import { allPlaces, firstPlace, lastPlace } from "./long-search.ts";

const texts = ["", "a", "aa", "aab", "abab", "aabaab", "abaababaab", "ababababa", "baaaaaab", "abcabcabd"];

test("a search finds the same places as V8", () => {
  for (const text of texts)
    for (const search of texts.filter((each) => each !== ""))
      for (const from of [0, 1, 3, text.length])
        expect([text, search, from, firstPlace(text, search, from), lastPlace(text, search, from)]).toEqual([
          ...[text, search, from, text.indexOf(search, from), text.lastIndexOf(search, from)],
        ]);
});

test("all places that do not overlap are those at which V8 splits", () => {
  for (const text of texts)
    for (const search of texts.filter((each) => each !== "")) {
      const parts: string[] = [];
      let from = 0;
      for (const place of allPlaces(text, search)) {
        parts.push(text.slice(from, place));
        from = place + search.length;
      }
      expect([...parts, text.slice(from)]).toEqual(text.split(search));
    }
});
