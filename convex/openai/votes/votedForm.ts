import type { Usage } from "../../../app/jobs/chat.ts";
import { type TextForm, usageBody } from "../answerForm.ts";
import type { Opinion } from "./decide.ts";

/** The bodies of an answer that was voted on: the whole one and the last piece of a stream tell how. @param usage of all votes. */
export function votedForm(form: TextForm, opinion: Opinion, usage: Usage): TextForm {
  return {
    ...form,
    whole: (head, result) => ({ ...form.whole(head, result), usage: usageBody(usage), x_gleaner: opinion }),
    closing: (head, finishReason) => ({ ...form.closing(head, finishReason), x_gleaner: opinion }),
  };
}
