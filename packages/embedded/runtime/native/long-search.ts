import { executions } from "../execution/execution.ts";
import { executionReserve } from "./reserve.ts";

/*
 * V8 compares a search text with a text at each place, from the start again: for some texts the time grows with the product of
 * both lengths. These functions (Knuth, Morris and Pratt) take a time that grows with the sum, and can be ended.
 */

/** Characters between two checks of the time. */
const checkEvery = 2 ** 20;

const bytesOfPlace = 4;

type Characters = { readonly length: number; readonly at: (place: number) => number };

/** Returns the first place of `search` in `text`, at `from` or later. -1: there is none. */
export function firstPlace(text: string, search: string, from: number): number {
  return placesIn(forwards(text), forwards(search), from, 1)[0] ?? -1;
}

/** Returns the last place of `search` in `text`, at `from` or earlier. -1: there is none. */
export function lastPlace(text: string, search: string, from: number): number {
  const before = Math.max(0, text.length - search.length - from);
  const [place] = placesIn(backwards(text), backwards(search), before, 1);
  return place === undefined ? -1 : text.length - search.length - place;
}

/** All places of `search` in `text` that do not overlap. */
export function allPlaces(text: string, search: string): readonly number[] {
  return placesIn(forwards(text), forwards(search), 0, Infinity);
}

const forwards = (text: string): Characters => ({
  length: text.length,
  at: (place) => text.charCodeAt(place),
});
const backwards = (text: string): Characters => ({
  length: text.length,
  at: (place) => text.charCodeAt(text.length - 1 - place),
});

function placesIn(text: Characters, search: Characters, from: number, most: number): readonly number[] {
  const places: number[] = [];
  const { length } = search;
  if (text.length - from < length) return places;
  const shorter = repeatedStarts(search);
  let matched = 0;
  for (let place = from; place < text.length && places.length < most; place += 1) {
    if (place % checkEvery === 0) check();
    const character = text.at(place);
    while (matched > 0 && search.at(matched) !== character) matched = shorter[matched - 1] as number;
    if (search.at(matched) === character) matched += 1;
    if (matched < length) continue;
    places.push(place + 1 - length);
    matched = 0;
  }
  return places;
}

/** For each start of a text, the length of the longest shorter start with which it ends. */
function repeatedStarts(search: Characters): Int32Array {
  executionReserve.buffer(search.length, bytesOfPlace);
  const lengths = new Int32Array(search.length);
  let matched = 0;
  for (let place = 1; place < search.length; place += 1) {
    if (place % checkEvery === 0) check();
    const character = search.at(place);
    while (matched > 0 && search.at(matched) !== character) matched = lengths[matched - 1] as number;
    if (search.at(matched) === character) matched += 1;
    lengths[place] = matched;
  }
  return lengths;
}

function check(): void {
  executions.getStore()?.time.check();
}
