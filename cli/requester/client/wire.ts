import { errorObject } from "@gleaner/client/http";
import * as z from "zod";

/* The API's objects that only commands read. `--json` prints them whole. */

export const modelList = z.looseObject({
  data: z.array(z.looseObject({ id: z.string(), root: z.string().optional() })),
});

const completion = z.object({
  choices: z
    .array(
      z.object({
        text: z.string().optional(),
        message: z.object({ content: z.string().nullish() }).optional(),
      }),
    )
    .min(1),
});

/** The text of an answer of any call. An answer without one, such as vectors or the call of a tool, as JSON. */
export function textOf(body: unknown): string {
  const [choice] = completion.safeParse(body).data?.choices ?? [];
  return choice?.message?.content ?? choice?.text ?? JSON.stringify(body);
}

/** An event of a streamed chat. */
export const chunk = z.object({
  choices: z.array(z.object({ delta: z.object({ content: z.string().nullish() }) })).default([]),
  error: errorObject.optional(),
});

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
