import type { FinishReason } from "../../app/jobs/chat.ts";
import type { TokenChoice } from "../../app/jobs/sampling.ts";
import { type AnswerHead, codePoints, headBody, type TextForm, usageBody } from "./answerForm.ts";

/** OpenAI's text_completion object, which is also that of each chunk. */
export const completionForm: TextForm = {
  whole: (head, { text, logprobs, finishReason, usage }) => ({
    ...body(head, text, finishReason, logprobs === undefined ? null : logprobsBody(logprobs, 0)),
    usage: usageBody(usage),
  }),
  opening: () => null,
  text: (head, { text, logprobs, offset }) =>
    body(head, text, null, logprobs.length === 0 ? null : logprobsBody(logprobs, offset)),
  call: () => null,
  closing: (head, finishReason) => body(head, "", finishReason, null),
  usage: (head, usage) => ({ ...bodyHead(head), choices: [], usage: usageBody(usage) }),
};

function body(
  head: AnswerHead,
  text: string,
  finishReason: FinishReason | null,
  logprobs: object | null,
): object {
  return {
    ...bodyHead(head),
    choices: [
      {
        index: 0,
        text,
        logprobs,
        finish_reason: finishReason,
      },
    ],
  };
}

function bodyHead(head: AnswerHead): object {
  return headBody(head, "cmpl", "text_completion");
}

/** Like OpenAI, `top_logprobs` includes the sampled token. Offsets count the answer's code points. */
function logprobsBody(choices: readonly TokenChoice[], from: number): object {
  let offset = from;
  const offsets = choices.map(({ token }) => {
    const at = offset;
    offset += codePoints(token);
    return at;
  });
  return {
    tokens: choices.map(({ token }) => token),
    token_logprobs: choices.map(({ logprob }) => logprob),
    top_logprobs: choices.map(({ token, logprob, top }) =>
      Object.fromEntries([...top, { token, logprob }].map((each) => [each.token, each.logprob])),
    ),
    text_offset: offsets,
  };
}
