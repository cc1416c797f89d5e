import { city, date, person } from "./entities.ts";
import { instruct } from "./phrasing.ts";
import type { Random } from "./random.ts";
import type { Exchange, Task } from "./task.ts";
import { products } from "./words/objects.ts";

/** JSON on one line with a space after each colon and comma, as most tools print it. */
function flatObject(entries: readonly (readonly [key: string, value: string | number])[]): string {
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(", ")}}`;
}

function ask(random: Random, keys: string, sentences: readonly string[], answer: string): Exchange {
  const instruction = random.pick([
    `Extract ${keys} as JSON`,
    `Return JSON with ${keys}`,
    `Give me a JSON object with the keys ${keys}`,
  ]);
  return { prompt: instruct(random, instruction, () => random.pick(sentences)), answer };
}

/** Two facts of one sentence, as a JSON object: name and city, item and price, or name and date. */
export const json: Task = (random) => {
  const name = person(random);
  const town = city(random);
  const price = random.integer(2, 999);
  const day = date(random);
  const kind = random.pick(["city", "price", "date"] as const);
  switch (kind) {
    case "city":
      return ask(
        random,
        "name and city",
        [
          `${name} lives in ${town}.`,
          `My name is ${name} and I am from ${town}.`,
          `${name} moved to ${town} last year.`,
          `We met ${name} in ${town}.`,
        ],
        flatObject([
          ["name", name],
          ["city", town],
        ]),
      );
    case "price": {
      const item = random.pick(products);
      return ask(
        random,
        "item and price",
        [
          `The ${item} costs ${price} euros.`,
          `I paid ${price} dollars for the ${item}.`,
          `Price of the ${item}: ${price}.`,
        ],
        flatObject([
          ["item", item],
          ["price", price],
        ]),
      );
    }
    case "date":
      return ask(
        random,
        "name and date",
        [
          `${name} arrives on ${day}.`,
          `On ${day} we will visit ${name}.`,
          `${name} booked a table for ${day}.`,
        ],
        flatObject([
          ["name", name],
          ["date", day],
        ]),
      );
  }
};
