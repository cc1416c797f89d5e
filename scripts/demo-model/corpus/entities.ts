import { capitalize } from "./phrasing.ts";
import type { Random } from "./random.ts";
import { months } from "./words/calendar.ts";
import { words } from "./words/lists.ts";
import {
  cities,
  firstNames,
  lastNames,
  syllableCodas,
  syllableOnsets,
  syllableVowels,
} from "./words/names.ts";

// Some words are invented. So the model learns to copy what it reads letter by letter, instead of choosing from a list.

/** An invented word of two or three syllables that no list contains. */
export function inventedWord(random: Random): string {
  let word = "";
  for (let left = random.integer(1, 2) + 1; left > 0; left -= 1) {
    word += random.pick(syllableOnsets) + random.pick(syllableVowels);
  }
  return random.chance(0.6) ? word + random.pick(syllableCodas) : word;
}

function knownOrInvented(random: Random, known: readonly string[], inventedShare: number): string {
  return random.chance(inventedShare) ? capitalize(inventedWord(random)) : random.pick(known);
}

/** A given name. A quarter of the names are invented. */
export function firstName(random: Random): string {
  return knownOrInvented(random, firstNames, 0.25);
}

/** A family name. A third of the names are invented. */
function lastName(random: Random): string {
  return knownOrInvented(random, lastNames, 0.35);
}

/** A city. A quarter of the cities are invented. */
export function city(random: Random): string {
  return knownOrInvented(random, cities, 0.25);
}

/** A given name. Half of the people have a family name, too. */
export function person(random: Random): string {
  return random.chance(0.5) ? firstName(random) : `${firstName(random)} ${lastName(random)}`;
}

const mailHosts = words("mail post office shop web cloud team home");
const mailSuffixes = words("com org net example de eu io");

/** An email address in lowercase. */
export function emailAddress(random: Random): string {
  const first = random.pick([firstName, lastName])(random);
  const second = random.chance(0.4) ? `.${lastName(random)}` : "";
  const host = random.chance(0.5) ? inventedWord(random) : random.pick(mailHosts);
  return `${(first + second).toLowerCase()}@${host}.${random.pick(mailSuffixes)}`;
}

/** A date in one of four notations. The last day is the 28th, which every month has. */
export function date(random: Random): string {
  const twoDigits = (value: number): string => String(value).padStart(2, "0");
  const notation = random.pick([
    () => `${random.integer(1, 28)} ${random.pick(months)} ${random.integer(2019, 2029)}`,
    () => `${random.pick(months)} ${random.integer(1, 28)}`,
    () =>
      `${random.integer(2019, 2029)}-${twoDigits(random.integer(1, 12))}-${twoDigits(random.integer(1, 28))}`,
    () => `${random.integer(1, 28)} ${random.pick(months)}`,
  ]);
  return notation();
}
