import * as z from "zod";
import { grammarLimits, grammarMistake } from "../grammar/gbnf.ts";
import { limits } from "../limits.ts";
import { packIds } from "../payload/token-ids.ts";
import type { JobPriority } from "../priority.ts";
import type { AnswerFormat, Sampling } from "../sampling.ts";
import { utf8Length } from "../utf8.ts";
import { absent, boundedList, boundedRecord, oneOfForms, text } from "./parse-body.ts";
import { answerSchema, answerText } from "./parse-tools.ts";

/** Parses and bounds the sampling fields that chat completions and completions share. */

/** Maps OpenAI's service tiers to the queue's priorities: the expensive tier goes first, the flexible one last. */
const priorities = { priority: "high", flex: "low" } as const;

const stopString = text
  .min(1)
  .refine(
    (value) => utf8Length(value) <= limits.stopBytes,
    `must have at most ${String(limits.stopBytes)} bytes`,
  );

/** A whole number within bounds. They come first, so that a refusal names them and not those of all whole numbers. */
export function whole(least: number, most: number) {
  return z.number().min(least).max(most).int();
}

/**
 * More tokens than an answer may have are no mistake: clients set a bound that no model reaches, such as the largest number of their
 * language. So it is cut before it has to be a safe integer.
 */
export const tokens = z
  .number()
  .min(1)
  .transform((asked) => (Number.isInteger(asked) ? Math.min(asked, limits.maxTokens) : asked))
  .pipe(z.int());

const responseFormat = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("text") }),
    // Some clients put a schema here, as in the API of llama.cpp's server.
    z
      .object({ type: z.literal("json_object"), schema: z.unknown().optional() })
      .transform(({ type, schema }, context) => ({
        type,
        schema: schema == null ? null : answerText({ schema }, context),
      })),
    z.object({ type: z.literal("json_schema"), json_schema: answerSchema }),
  ],
  { error: oneOfForms('must be "text", "json_object" or "json_schema"') },
);

/** llama.cpp's field. */
const grammar = text.max(grammarLimits.chars).superRefine((value, context) => {
  const mistake = grammarMistake(value);
  if (mistake !== null) context.addIssue({ code: "custom", message: `is not a grammar: ${mistake}` });
});

const tokenId = z.string().regex(/^\d{1,7}$/, "must be the id of a token");

/** Ids of tokens, in place of a text. */
export const idList = boundedList(whole(0, 9_999_999), { least: 1, most: limits.bodyValues }).transform(
  packIds,
);

const penalty = z.number().min(-2).max(2).nullish();

export const serviceTier = text.max(40).nullish();

/** Null or absent: the organization's default model. */
export const modelName = text.min(1).max(200).nullish();

/** Fields that no other API has. */
export const ownFields = z
  .object({ votes: whole(1, limits.votes).nullish(), escalate: z.boolean().nullish() })
  .nullish();

export const samplingFields = {
  model: modelName,
  max_tokens: tokens.nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  seed: z.number().int().nullish(),
  stop: z.union([stopString, boundedList(stopString, { most: limits.stopStrings })]).nullish(),
  stream: z.boolean().nullish(),
  service_tier: serviceTier,
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  n: whole(1, limits.choices).nullish(),
  x_gleaner: ownFields,
  top_k: whole(0, limits.topK).nullish(),
  min_p: z.number().min(0).max(1).nullish(),
  repeat_penalty: z.number().min(0.5).max(2).nullish(),
  repetition_penalty: z.literal(1, { error: "use repeat_penalty instead" }).nullish(),
  stop_token_ids: absent("ids of tokens are not supported, use stop"),
  response_format: responseFormat.nullish(),
  grammar: grammar.nullish(),
  presence_penalty: penalty,
  frequency_penalty: penalty,
  logit_bias: boundedRecord(tokenId, z.number().min(-100).max(100), limits.logitBiases).nullish(),
};

type Sampled = z.infer<z.ZodObject<typeof samplingFields>>;

/** A text generation request, as received over HTTP. */
export type ParsedText<Request> = {
  /** Null if the requester named none. */
  readonly model: string | null;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** How many answers the call wants to each of its requests. */
  readonly choices: number;
  /** Null: the call wants no second opinion. */
  readonly vote: Vote | null;
  readonly priority: JobPriority;
  readonly request: Undecided<Request>;
  /** The requests after the first, of a call with several prompts. */
  readonly further?: readonly Undecided<Request>[];
};

/** How many devices are asked, and whether a larger model is asked if they disagree. */
export type Vote = { readonly votes: number; readonly escalate: boolean };

/** Null if the requester gave no value. */
type Undecided<Request> = Omit<Request, "maxTokens" | "seed"> & {
  readonly maxTokens: number | null;
  readonly seed: number | null;
};

/** Options of the call that do not affect the text. */
export function callOf(asked: Sampled): Omit<ParsedText<never>, "request" | "further"> {
  return {
    model: asked.model ?? null,
    stream: asked.stream ?? false,
    includeUsage: asked.stream_options?.include_usage ?? false,
    choices: asked.n ?? 1,
    vote: voteOf(asked),
    priority: priorityOf(asked.service_tier ?? "auto"),
  };
}

export function voteOf({ x_gleaner: own }: Pick<Sampled, "x_gleaner">): Vote | null {
  const votes = own?.votes ?? 1;
  return votes === 1 ? null : { votes, escalate: own?.escalate ?? true };
}

/** @param logprobs the number of alternative tokens to report; null to report no log probabilities. */
export function samplingOf(
  asked: Sampled,
  maxTokens: number | null,
  logprobs: number | null,
): Undecided<Sampling> {
  return {
    maxTokens,
    temperature: asked.temperature ?? 1,
    topP: asked.top_p ?? 1,
    // 31 bits: the largest unsigned values mean "random" to llama.cpp.
    seed: asked.seed == null ? null : Math.abs(asked.seed) % 2 ** 31,
    stop: typeof asked.stop === "string" ? [asked.stop] : (asked.stop ?? []),
    ...given({
      topK: asked.top_k,
      minP: asked.min_p,
      repeatPenalty: asked.repeat_penalty,
      frequencyPenalty: asked.frequency_penalty === 0 ? null : asked.frequency_penalty,
      presencePenalty: asked.presence_penalty === 0 ? null : asked.presence_penalty,
      logitBias: biasesOf(asked.logit_bias ?? {}),
      logprobs,
      format: formatOf(asked),
    }),
  };
}

/** All other tiers, such as OpenAI's "auto" and "default", get the normal priority. */
export function priorityOf(tier: string): JobPriority {
  return tier === "priority" || tier === "flex" ? priorities[tier] : "normal";
}

function formatOf({ response_format: format, grammar: rules }: Sampled): AnswerFormat | null {
  if (format?.type === "json_object") {
    const { schema } = format;
    return schema === null ? { kind: "json" } : { kind: "json-schema", schema };
  }
  if (format?.type === "json_schema") return { kind: "json-schema", schema: format.json_schema };
  return rules == null ? null : { kind: "grammar", grammar: rules };
}

type Clash = { readonly param: string; readonly why: string };

/** Reports fields that contradict each other. */
export function samplingClash(asked: Sampled): Clash | null {
  return formatClash(asked) ?? voteClash(asked);
}

function voteClash(asked: Sampled): Clash | null {
  if (voteOf(asked) === null) return null;
  const param = "x_gleaner.votes";
  if ((asked.n ?? 1) > 1) return { param, why: "the answer is one of the votes, so n must be 1" };
  const isDetermined = asked.temperature === 0 || asked.top_k === 1;
  if (!isDetermined) return null;
  return {
    param,
    why: "every device would write the same answer. Use a temperature above 0, and no top_k of 1",
  };
}

function formatClash(asked: Sampled): Clash | null {
  if (asked.grammar == null || (asked.response_format?.type ?? "text") === "text") return null;
  return { param: "grammar", why: "response_format asks for another format" };
}

function biasesOf(biases: Readonly<Record<string, number>>): Sampling["logitBias"] | null {
  const all = Object.entries(biases).map(([token, bias]) => ({ token: Number(token), bias }));
  return all.length === 0 ? null : all;
}

type Given<T> = { readonly [Field in keyof T]?: NonNullable<T[Field]> };

/** Omits the fields that were not given. */
export function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as Given<T>;
}
