import type { Usage } from "../../app/jobs/chat.ts";
import { type AnswerHead, codePoints, type TextForm } from "./answerForm.ts";
import { errorBody } from "./respond.ts";
import type { TextEvents } from "./stream.ts";

const event = (body: object): string => `data: ${JSON.stringify(body)}`;

/**
 * The events of a call that streams a text in OpenAI's chunks.
 * @param totalOf the usage of all choices of the call, or null while another choice has not ended.
 */
export function chunkEvents(
  form: TextForm,
  head: AnswerHead,
  includeUsage: boolean,
  totalOf: (usage: Usage) => Usage | null = (usage) => usage,
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
    closing: (result) => {
      const closing = [chunkOf(form.closing(head, result.finishReason))];
      const total = totalOf(result.usage);
      if (total === null) return closing;
      return [...closing, ...(includeUsage ? [event(form.usage(head, total))] : []), "data: [DONE]"];
    },
    error: (error) => [event(errorBody(error))],
  };
}
