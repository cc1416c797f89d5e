import * as z from "zod";
import { formatCount, formatPercent } from "../../app/format/quantity.ts";
import { formatCredits, formatPrice } from "../../app/money/credits.ts";
import { readArguments, usageError } from "../command/arguments.ts";
import { allInput } from "../command/ask-person.ts";
import type { Verb } from "../command/command.ts";
import { say, sayJson } from "../command/output.ts";
import { exitCodes, openApi } from "./client/api.ts";
import { chatBody } from "./client/ask.ts";
import { chatOptions, chatOptionsUsage, readChatOptions } from "./client/chat-options.ts";
import { findModel } from "./client/models.ts";
import { parseRequires, requiresHeader } from "./client/requires.ts";

const usage = `gleaner quote [QUESTION] [options]
Says what an answer to the question would cost, and asks nothing. Without a question it reads one from a pipe:
gleaner quote < letter.txt. For a file of requests: gleaner batch estimate FILE.jsonl
${chatOptionsUsage}
  --json                 print the quote as JSON
${exitCodes}`;

const options = { ...chatOptions, json: { type: "boolean", default: false } } as const;

export const quote: Verb = { usage, options, run };

const estimate = z.looseObject({
  model: z.string(),
  price: z.object({
    version: z.string(),
    prompt_micro: z.string(),
    completion_micro: z.string(),
    percent: z.number(),
  }),
  expected_usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }),
  expected_price_micro: z.string(),
  most_price_micro: z.string(),
  reserved_micro: z.string(),
});

async function run(args: readonly string[]): Promise<void> {
  const { values: flags, positionals } = readArguments(args, options, usage, 1);
  const numbers = readChatOptions(flags, usage);
  const requires = parseRequires(flags.requires);
  const question = (positionals[0] ?? (await allInput())).trim();
  if (question === "") throw usageError("The question is empty.", usage);
  const api = await openApi();
  const body = chatBody({ ...numbers, model: await findModel(api, flags.model) }, [
    ...(flags.system === undefined ? [] : [{ role: "system" as const, content: flags.system }]),
    { role: "user", content: question },
  ]);
  const told = await api.post("/estimate/chat/completions", body, estimate, requiresHeader(requires));
  if (flags.json) {
    sayJson(told);
    return;
  }
  const { prompt_tokens: read, completion_tokens: written } = told.expected_usage;
  const [likely, most, held] = [told.expected_price_micro, told.most_price_micro, told.reserved_micro].map(
    formatCredits,
  );
  say(
    [
      `An answer of ${told.model} would probably cost ${String(likely)}, at most ${String(most)}.`,
      `That is for about ${formatCount(read)} tokens of the question and ${formatCount(written)} of the answer.`,
      `Until its end it would hold ${String(held)}.`,
      `The price: ${priceWords(told.price)}.`,
    ].join("\n"),
  );
}

/** "20 in + 0.5 out credits per 1,000 tokens, × 150% for its priority, kind, data class and hour, version 3.2". */
function priceWords({
  version,
  prompt_micro: prompt,
  completion_micro: completion,
  percent,
}: z.infer<typeof estimate>["price"]): string {
  const usual = `${formatPrice(BigInt(prompt))} in + ${formatPrice(BigInt(completion))} out credits per 1,000 tokens`;
  const times =
    percent === 100 ? "" : `, × ${formatPercent(percent)} for its priority, kind, data class and hour`;
  return `${usual}${times}, version ${version}`;
}
