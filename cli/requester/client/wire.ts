import { errorObject } from "@gleaner/client/http";
import * as z from "zod";

/* The API's objects that only commands read. `--json` prints them whole. */

export const modelList = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      root: z.string().optional(),
      /** Other servers of OpenAI's API have none. */
      context_length: z.number().optional(),
    }),
  ),
});

const spoken = z.object({ content: z.string().nullish() });
/** The parts that are no text, such as calls of tools, have none. */
const parts = z.array(z.object({ text: z.string().optional() }));

/** The bodies of calls that answer with text: of OpenAI, Anthropic and Ollama. */
const answers = z.union([
  z
    .object({
      choices: z.array(z.object({ text: z.string().optional(), message: spoken.optional() })).min(1),
    })
    .transform(({ choices: [choice] }) => choice?.message?.content ?? choice?.text),
  z
    .object({ object: z.literal("response"), output: z.array(z.object({ content: parts.default([]) })) })
    .transform(({ output }) => textOfParts(output.flatMap(({ content }) => content))),
  z.object({ type: z.literal("message"), content: parts }).transform(({ content }) => textOfParts(content)),
  z
    .object({ message: spoken.extend({ tool_calls: z.unknown().optional() }) })
    .transform(({ message }) => (message.tool_calls === undefined ? message.content : null)),
  z.object({ response: z.string() }).transform(({ response }) => response),
]);

function textOfParts(all: z.infer<typeof parts>): string | undefined {
  const texts = all.flatMap(({ text }) => text ?? []);
  return texts.length === 0 ? undefined : texts.join("");
}

/** The text of an answer of any call. An answer without one, such as vectors or the call of a tool, as JSON. */
export function textOf(body: unknown): string {
  return answers.safeParse(body).data ?? JSON.stringify(body);
}

/** How the devices voted on an answer. Absent from an answer without votes. */
export const opinion = z.object({
  votes: z.number(),
  agreed: z.number(),
  confidence: z.number().nullable(),
  escalated: z.boolean(),
});

/** An event of a streamed chat. The last one has facts of Gleaner's, which are an opinion only with votes. */
export const chunk = z.object({
  x_gleaner: z.unknown().optional(),
  choices: z.array(z.object({ delta: z.object({ content: z.string().nullish() }) })).default([]),
  error: errorObject.optional(),
});

export const credits = z.looseObject({ available_credits: z.number() });

const amount = z.number().nullable();
export const usageTable = z.looseObject({
  data: z.array(
    z.looseObject({
      day: z.string(),
      jobs: amount,
      answered: amount,
      prompt_tokens: amount,
      completion_tokens: amount,
      credits: amount,
    }),
  ),
});
