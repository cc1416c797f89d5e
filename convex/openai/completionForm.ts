import type { FinishReason } from "../../app/jobs/chat.ts";
import type { TokenChoice } from "../../app/jobs/sampling.ts";
import { type AnswerHead, headBody, type TextForm, usageBody } from "./answerForm.ts";

/** OpenAI's text_completion object, which is also that of each chunk. */
export const completionForm: TextForm = {
  whole: (head, { text, logprobs, finishReason, usage }) => ({
    ...body(head, text, logprobs, finishReason),
    usage: usageBody(usage),
  }),
  opening: () => null,
  text: (head, text) => body(head, text, undefined, null),
  closing: (head, { logprobs, finishReason }) => [body(head, "", logprobs, finishReason)],
  usage: (head, usage) => ({ ...bodyHead(head), choices: [], usage: usageBody(usage) }),
};

function body(
  head: AnswerHead,
  text: string,
  logprobs: readonly TokenChoice[] | undefined,
  finishReason: FinishReason | null,
): object {
  return {
    ...bodyHead(head),
    choices: [
      {
        index: 0,
        text,
        logprobs: logprobs === undefined ? null : logprobsBody(logprobs),
        finish_reason: finishReason,
      },
    ],
  };
}

function bodyHead(head: AnswerHead): object {
  return headBody(head, "cmpl", "text_completion");
}

/** Like OpenAI, `top_logprobs` includes the sampled token. Offsets count the answer's code points. */
function logprobsBody(choices: readonly TokenChoice[]): object {
  let offset = 0;
  const offsets = choices.map(({ token }) => {
    const at = offset;
    offset += Array.from(token).length;
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
