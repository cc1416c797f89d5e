import type { Usage } from "../../app/jobs/chat.ts";
import { type AnswerHead, codePoints, type TextForm } from "./answerForm.ts";
import { type AnswerCost, costBody, errorBody, ownField } from "./respond.ts";
import type { TextEvents } from "./stream.ts";

const event = (body: object): string => `data: ${JSON.stringify(body)}`;

/** The usage and the cost of a text, or of all choices of a call. */
export type Total = { readonly usage: Usage; readonly cost: AnswerCost };

type Options = {
  /** Of the answer's votes; null without any. */
  readonly opinion?: object | null;
  /** The total of all choices of the call, or null while another choice has not ended. */
  readonly totalOf?: (total: Total) => Total | null;
};

/** The events of a call that streams a text in OpenAI's chunks. The last one has our own field. */
export function chunkEvents(
  form: TextForm,
  head: AnswerHead,
  includeUsage: boolean,
  { opinion = null, totalOf = (total) => total }: Options = {},
): TextEvents {
  let offset = 0;
  // As in OpenAI's API: if the usage comes at the end, each earlier chunk says that it has none.
  const chunkOf = (body: object): string => event(includeUsage ? { ...body, usage: null } : body);
  return {
    opening: () => {
      const opening = form.opening(head);
      return opening === null ? [] : [chunkOf(opening)];
    },
    text: (text, logprobs) => {
      const chunk = chunkOf(form.text(head, { text, logprobs, offset }));
      offset += logprobs.reduce((sum, { token }) => sum + codePoints(token), 0);
      return [chunk];
    },
    call: (part) => {
      const body = form.call(head, part);
      return body === null ? [] : [chunkOf(body)];
    },
    closing: ({ finishReason, usage }, cost) => {
      const closing = form.closing(head, finishReason);
      const total = totalOf({ usage, cost });
      if (total === null) return [chunkOf(closing)];
      const own = ownField(opinion, costBody(head, total.cost));
      const last = includeUsage
        ? [chunkOf(closing), event({ ...form.usage(head, total.usage), ...own })]
        : [event({ ...closing, ...own })];
      return [...last, "data: [DONE]"];
    },
    error: (error) => [event(errorBody(error))],
  };
}
