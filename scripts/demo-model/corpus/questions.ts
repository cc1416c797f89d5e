import { entryAt } from "../entry-at.ts";
import { city, inventedWord, person } from "./entities.ts";
import { capitalize } from "./phrasing.ts";
import type { Task } from "./task.ts";
import { firstNames } from "./words/names.ts";
import { belongings, goods, hidingPlaces, products } from "./words/objects.ts";
import { unanswerable } from "./words/requests.ts";

/** Up to three people each keep something somewhere. The question is who, or where. */
export const where: Task = (random) => {
  const people = random
    .sample(firstNames, 3)
    .map((name) => (random.chance(0.25) ? capitalize(inventedWord(random)) : name));
  const things = random.sample(belongings, 3);
  const places = random.sample(hidingPlaces, 3);
  const count = random.integer(1, 3);
  const asked = random.integer(0, count - 1);
  const keepers = people
    .slice(0, count)
    .map((name, i) => ({ name, thing: entryAt(things, i), place: entryAt(places, i) }));
  const text = keepers.map(({ name, thing, place }) => `${name} keeps ${thing} ${place}.`).join(" ");
  const { name, thing, place } = entryAt(keepers, asked);
  const [question, answer] =
    random.pick(["who", "where"]) === "where"
      ? [`Where does ${name} keep ${thing}?`, `${capitalize(place)}.`]
      : [`Who keeps ${thing}?`, `${name}.`];
  const prompt = random.pick([
    `${text} ${question}`,
    `Text: ${text}\nQuestion: ${question}`,
    `${text}\n\n${question}`,
    `Read the text and answer. ${text} ${question}`,
  ]);
  return { prompt, answer };
};

const refusal =
  "I do not know that. I am only a very small demo model. Please load a larger model for this question.";

/** Questions that the model cannot answer. It says so instead of inventing an answer. */
export const unknown: Task = (random) => {
  const prompt = random
    .pick(unanswerable)
    .replace("{n}", random.pick([...goods, ...products, inventedWord(random)]))
    .replace("{c}", city(random))
    .replace("{p}", person(random))
    .replace("{y}", String(random.integer(1900, 2030)));
  return { prompt, answer: refusal };
};
