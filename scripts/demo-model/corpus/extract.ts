import { city, date, emailAddress, person } from "./entities.ts";
import { instruct, maybeQuoted } from "./phrasing.ts";
import type { Random } from "./random.ts";
import type { Task } from "./task.ts";

/** An amount with its currency in front. The caller adds a currency to the end if `currency` is empty. */
function figure(random: Random, currency: string): string {
  const whole = random.integer(3, 999);
  const cents = random.chance(0.4) ? `.${String(random.integer(0, 99)).padStart(2, "0")}` : "";
  return `${currency}${whole}${cents}`;
}

function phoneNumber(random: Random): string {
  return `0${random.integer(10, 99)} ${random.integer(1000, 9999)} ${random.integer(10, 99)}`;
}

function orderNumber(random: Random): string {
  return random.pick(["A", "B", "K", "X", "R"]) + String(random.integer(100, 9999));
}

function drawValues(random: Random) {
  const name = person(random);
  const email = emailAddress(random);
  const day = date(random);
  const town = city(random);
  const currency = random.pick(["$", "EUR ", ""]);
  const sum = figure(random, currency);
  const phone = phoneNumber(random);
  const order = orderNumber(random);
  const amount = currency === "" ? sum + random.pick([" dollars", " euros"]) : sum;
  return { name, email, date: day, city: town, amount, phone, order };
}

type Values = ReturnType<typeof drawValues>;

function sentencesWith(values: Values): Record<keyof Values, readonly string[]> {
  const { name, email, date: day, city: town, amount: sum, phone, order } = values;
  return {
    name: [`${name} wrote to us`, `This is ${name}`, `The customer is ${name}`, `Please ask for ${name}`],
    email: [`Reply to ${email}`, `My address is ${email}`, `Write to ${email} for details`],
    date: [`The visit is on ${day}`, `It was sent on ${day}`, `We meet on ${day}`, `The date is ${day}`],
    city: [`The office is in ${town}`, `She lives in ${town}`, `The parcel goes to ${town}`],
    amount: [`The total is ${sum}`, `It costs ${sum}`, `Please pay ${sum}`],
    phone: [`Call ${phone}`, `The number is ${phone}`],
    order: [`Order ${order} is late`, `The order number is ${order}`],
  };
}

function drawLabels(random: Random): Record<keyof Values, string> {
  return {
    name: "name",
    email: random.pick(["email", "email address", "e-mail"]),
    date: "date",
    city: "city",
    amount: random.pick(["amount", "price", "total"]),
    phone: random.pick(["phone number", "telephone number"]),
    order: "order number",
  };
}

/** A text of two to four facts. The prompt asks for one of them. */
export const extract: Task = (random) => {
  const values = drawValues(random);
  const sentences = sentencesWith(values);
  const mentioned = random.sample(Object.keys(sentences) as (keyof Values)[], random.integer(2, 4));
  const asked = random.pick(mentioned);
  const text = mentioned.map((field) => `${random.pick(sentences[field])}.`).join(" ");
  const label = drawLabels(random)[asked];
  const instruction = random.pick([
    `Extract the ${label}`,
    `Extract the ${label} from this text`,
    `Find the ${label} in the text`,
    `What is the ${label} in this text`,
    `Return only the ${label}`,
  ]);
  return { prompt: instruct(random, instruction, () => maybeQuoted(random, text)), answer: values[asked] };
};
