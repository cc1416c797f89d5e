import type { ChatRequest, ChatResult } from "../jobs/chat.ts";
import type { Sampling } from "../jobs/sampling.ts";
import {
  drawForm,
  drawFormat,
  drawTool,
  type Field,
  type Form,
  pick,
  type Random,
  type ToolPool,
} from "./canary-forms.ts";
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

/** The facts about a device and a model that decide about a canary. */
export type CanaryNeed = {
  /** As of now. */
  readonly standing: Standing;
  /** The replays of its answers that are under way. They tell the same. */
  readonly waiting: number;
  /** Whether no replay could test its last answer. */
  readonly unchecked: boolean;
  /**
   * Whether its last answer in a format was odd, of those that tell something. Only devices with other grammars said so, so a canary has to
   * tell.
   */
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

type Template = {
  readonly prompt: string;
  readonly tools?: readonly ToolPool[];
  readonly format?: "json" | readonly Field[];
};

const city: Field = {
  type: "string",
  names: ["city", "town", "place", "location"],
  about: ["The city", "Name of the city", "Where it is", "The place"],
};
const weather: ToolPool = {
  names: ["get_weather", "weather", "find_weather", "get_forecast", "current_weather"],
  about: ["Returns the weather of a city.", "Weather of a place", "Tells how the weather is.", "A forecast"],
  fields: [city],
};
const appointment: ToolPool = {
  names: ["add_appointment", "create_event", "new_meeting", "save_appointment", "calendar_add"],
  about: [
    "Adds an appointment to the calendar.",
    "Adds to the calendar",
    "Creates an event.",
    "Saves a meeting.",
  ],
  fields: [
    {
      type: "string",
      names: ["title", "subject", "what", "label"],
      about: ["The title", "What it is about"],
    },
    { type: "string", names: ["time", "start", "begins_at", "when"], about: ["The time", "When it begins"] },
  ],
};
const order: readonly Field[] = [
  { type: "string", names: ["name", "customer", "buyer", "person"], about: ["The customer", "Who orders"] },
  city,
  {
    type: "string",
    names: ["note", "comment", "remark", "message"],
    about: ["A sentence", "What else is said"],
  },
  {
    type: "integer",
    names: ["count", "chairs", "quantity", "pieces"],
    about: ["How many", "Number of chairs"],
  },
  {
    type: "boolean",
    names: ["call", "wants_call", "call_back"],
    about: ["Whether to call", "Asks for a call"],
  },
];

/** Their answers are long, as two devices agree about a short one by chance. */
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
    format: "json",
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
/** The highest bound of tokens of a canary that is asked greedily. */
export const mostGreedyTokens = tokens.least + tokens.more - 1;
/** Canaries with a higher bound would cost too much, and shorter answers than the lowest bound tell little. */
const mostTokens = 1_024;
const seeds = 2 ** 31;

const shapeFields = [
  "maxTokens",
  "temperature",
  "topP",
  "topK",
  "minP",
  "repeatPenalty",
  "frequencyPenalty",
  "presencePenalty",
] as const;

/** The numbers of a request, by which a device might tell a canary from usual requests. */
export type CanaryShape = Pick<Sampling, (typeof shapeFields)[number]>;

/** The shape of a request, which has no text of it. Null: no canary can have it. */
export function shapeOf(request: Sampling): CanaryShape | null {
  const { maxTokens, stop, logitBias, logprobs } = request;
  if (maxTokens < tokens.least || maxTokens > mostTokens) return null;
  if (stop.length > 0 || logitBias !== undefined || logprobs !== undefined) return null;
  const fields = shapeFields.flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]]]));
  return Object.fromEntries(fields) as CanaryShape;
}

/**
 * Draws the request of a canary. It has a seed, so that honest computers give the same answer mostly.
 * @param prompts of the organization. `{name}`, `{city}` and `{number}` in them are filled in. If it has some, they are the only ones, since
 *   the built-in ones are public, so that a changed device can know them.
 * @param inFormat whether the answer has to be in a format, or a call.
 * @param shape that of a usual request. Null: none is known, so the canary is asked greedily.
 * @param random numbers from 0 to below 1.
 */
export function drawCanary(
  prompts: readonly string[],
  inFormat: boolean,
  shape: CanaryShape | null,
  random: Random,
): ChatRequest {
  const own = pick(prompts, random);
  const template = own === undefined ? drawTemplate(inFormat, random) : null;
  const prompt = own ?? template?.prompt ?? "";
  const form = template === null ? (inFormat ? drawForm(prompts, random) : {}) : formOf(template, random);
  const content = prompt
    .replaceAll("{name}", pick(names, random) ?? "")
    .replaceAll("{city}", pick(cities, random) ?? "")
    .replaceAll("{number}", String(2 + Math.floor(random() * mostNumber)));
  return {
    messages: [{ role: "user", content }],
    ...(shape ?? greedy(random)),
    seed: Math.floor(random() * seeds),
    stop: [],
    ...form,
  };
}

function greedy(random: Random): CanaryShape {
  return { maxTokens: tokens.least + Math.floor(random() * tokens.more), temperature: 0, topP: 1 };
}

function drawTemplate(inFormat: boolean, random: Random): Template | null {
  const able = templates.filter(
    ({ tools, format }) => !inFormat || tools !== undefined || format !== undefined,
  );
  return pick(able, random) ?? null;
}

function formOf({ tools, format }: Template, random: Random): Form {
  if (tools !== undefined) return { tools: tools.map((tool) => drawTool(tool, random)) };
  if (format === undefined) return {};
  return { format: format === "json" ? { kind: format } : drawFormat(format, random) };
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
function isSameAnswer(one: CanaryAnswer, other: CanaryAnswer): boolean {
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
