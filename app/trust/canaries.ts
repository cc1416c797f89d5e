import type { ChatRequest, ChatResult, ChatTool } from "../jobs/chat.ts";
import type { AnswerFormat } from "../jobs/sampling.ts";
import type { TokenCounts } from "./replay.ts";
import { isUnsure, type Standing } from "./standing.ts";

/*
 * Canaries: jobs that the organization asks of two devices, for devices whose own jobs tell too little. A device must not recognize one.
 * So a canary is a chat job like any other, and its prompt varies.
 */

/** Bounds of the prompts that an administrator adds. */
export const canaryLimits = { prompts: 20, promptChars: 500 } as const;

/** A device and a model get no other canary in this time. */
const betweenMs = 24 * 3_600_000;

/** What is known of a device and a model, as far as it decides about a canary. */
export type CanaryNeed = {
  /** As of now. */
  readonly standing: Standing;
  /** The replays of its answers that are under way. They tell the same. */
  readonly waiting: number;
  /** Whether no replay could test its last answer. */
  readonly unchecked: boolean;
  /** Whether its last answer in a format that tells something was odd, by the word of devices with other grammars. */
  readonly oddFormat: boolean;
  /** When it got its last canary; null for none. */
  readonly lastAt: number | null;
};

/**
 * Whether a device gets a canary for a model: `format` asks for an answer in a format. Its replays tell nothing of such answers, so they
 * are not waited for.
 */
export function neededCanary(
  { standing, waiting, unchecked, oddFormat, lastAt }: CanaryNeed,
  now: number,
): "format" | "any" | null {
  if (now - (lastAt ?? -Infinity) < betweenMs) return null;
  if (oddFormat) return "format";
  return unchecked && waiting === 0 && isUnsure(standing) ? "any" : null;
}

type Form = {
  readonly tools?: readonly ChatTool[];
  readonly toolChoice?: "required";
  readonly format?: AnswerFormat;
};
type Template = Form & { readonly prompt: string };

const textOf = (name: string): string => JSON.stringify({ type: "string", description: name });
const weather: ChatTool = {
  name: "get_weather",
  description: "Returns the weather of a city.",
  parameters: `{"type":"object","properties":{"city":${textOf("The city")}},"required":["city"]}`,
};
const appointment: ChatTool = {
  name: "add_appointment",
  description: "Adds an appointment to the calendar.",
  parameters: `{"type":"object","properties":{"title":${textOf("The title")},"time":${textOf("The time")}},"required":["title","time"]}`,
};
const order: AnswerFormat = {
  kind: "json-schema",
  schema: `{"type":"object","properties":{"name":${textOf("The customer")},"city":${textOf("The city")},"note":${textOf("A sentence")},"count":{"type":"integer"}},"required":["name","city","note","count"],"additionalProperties":false}`,
};

/**
 * Forms of answers that an own prompt can have. Each version of Gleaner makes the same grammars of them, so that a device with any version can
 * read the answer: `main/runner/generate/grammar-version.test.ts`.
 */
const forms: readonly Form[] = [
  { format: { kind: "json" } },
  { format: order },
  { tools: [weather], toolChoice: "required" },
];

/** Their answers are long, as two devices agree about a short one by chance. In a format they have no grammars but those of the forms. */
const templates: readonly Template[] = [
  { prompt: "Write a short letter to {name}, who lives in {city}, about a delay of {number} days." },
  { prompt: "{name} has {number} customers in {city}. Suggest three ways to keep in touch with them." },
  { prompt: "Explain in simple words what to see in {city} within {number} hours." },
  { prompt: "Summarize: {name} came to {city} on day {number} of the project, and asked for more time." },
  { prompt: "Write a reminder for {name}: {number} documents are missing for the trip to {city}." },
  { prompt: "List the steps for planning a meeting of {number} people in {city}, for {name}." },
  { prompt: "What is the weather like in {city}? {name} stays for {number} days.", tools: [weather] },
  {
    prompt: "Please note a meeting with {name} in {city} at {number} minutes past ten.",
    tools: [appointment, weather],
  },
  {
    prompt: "Give the name, the city and the number as JSON: {name} ordered {number} chairs in {city}.",
    format: { kind: "json" },
  },
  {
    prompt: "{name} from {city} orders {number} chairs, and asks for a call. Write the order as JSON.",
    format: order,
  },
];

const names = [
  "Anna",
  "Ben",
  "Carla",
  "David",
  "Elif",
  "Felix",
  "Grace",
  "Hugo",
  "Ines",
  "Jonas",
  "Kim",
  "Lena",
];
const cities = [
  "Vienna",
  "Graz",
  "Berlin",
  "Zurich",
  "Lyon",
  "Porto",
  "Oslo",
  "Ghent",
  "Turin",
  "Malmo",
  "Krakow",
];
const mostNumber = 58;

const tokens = { least: 64, more: 65 } as const;
const seeds = 2 ** 31;

/** The tools and formats of all canaries: their grammars are the same in each version. */
export const canaryGrammars = {
  tools: [weather, appointment],
  formats: [...forms, ...templates].flatMap(({ format }) => format ?? []),
} as const;

/**
 * Draws the request of a canary. It is asked greedily, so that honest computers give the same answer mostly.
 * @param prompts of the organization. `{name}`, `{city}` and `{number}` in them are filled in. If it has some, they are the only ones, since
 *   the built-in ones are public, so that a changed device can know them.
 * @param inFormat whether the answer has to be in a format, or a call.
 * @param random numbers from 0 to below 1.
 */
export function drawCanary(prompts: readonly string[], inFormat: boolean, random: () => number): ChatRequest {
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const own = pick(prompts);
  const isInFormat = ({ tools, format }: Form): boolean => tools !== undefined || format !== undefined;
  const drawn: Template | undefined =
    own === undefined
      ? pick(inFormat ? templates.filter(isInFormat) : templates)
      : { prompt: own, ...(inFormat ? pick(forms) : {}) };
  const { prompt = "", ...form } = drawn ?? {};
  const content = prompt
    .replaceAll("{name}", pick(names) ?? "")
    .replaceAll("{city}", pick(cities) ?? "")
    .replaceAll("{number}", String(2 + Math.floor(random() * mostNumber)));
  return {
    messages: [{ role: "user", content }],
    maxTokens: tokens.least + Math.floor(random() * tokens.more),
    temperature: 0,
    topP: 1,
    seed: Math.floor(random() * seeds),
    stop: [],
    ...form,
  };
}

/** An answer, as far as it is compared. The ids of calls are made up by the device. */
export type CanaryAnswer = Pick<ChatResult, "text" | "finishReason"> & {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: string }[] | undefined;
};

/** Shorter answers may be the same by chance, or of another model. */
const tellingChars = 100;

/** Everything that an answer says, as text. */
function wordsOf({ text, toolCalls = [] }: CanaryAnswer): string {
  return text + toolCalls.map((call) => `\n${call.name} ${call.arguments}`).join("");
}

/** Whether two devices gave the same answer. */
export function isSameAnswer(one: CanaryAnswer, other: CanaryAnswer): boolean {
  return wordsOf(one) === wordsOf(other) && one.finishReason === other.finishReason;
}

/** Whether an answer says nothing at all. */
export function isEmptyAnswer(answer: CanaryAnswer): boolean {
  return wordsOf(answer) === "";
}

/**
 * The result of two answers to a canary.
 * - `fits`: they are the same, and long enough to tell something.
 * - `replay`: a replay has to tell. Honest computers may round differently, so other words alone say nothing.
 * - `third`: the tested device wrote nothing where the other one wrote something. If no replay can judge that, a third device is asked.
 * - `nothing`: both wrote nothing, or the tested device was cut off before it wrote something, as one that thinks for long.
 */
export function comparisonOf(
  tested: CanaryAnswer,
  other: CanaryAnswer,
): "fits" | "replay" | "third" | "nothing" {
  if (isEmptyAnswer(tested))
    return tested.finishReason === "length" || isEmptyAnswer(other) ? "nothing" : "third";
  return isSameAnswer(tested, other) && wordsOf(tested).length >= tellingChars ? "fits" : "replay";
}

/** Control tokens and versions of Gleaner make so small a difference between honest counts. */
const mostTokensApart = 4;

/** Whether two devices reported nearly the same tokens of the same answer. They are paid for these. */
export function areTokensAlike(one: TokenCounts, other: TokenCounts): boolean {
  return (
    Math.abs(one.promptTokens - other.promptTokens) <= mostTokensApart &&
    Math.abs(one.completionTokens - other.completionTokens) <= mostTokensApart
  );
}
