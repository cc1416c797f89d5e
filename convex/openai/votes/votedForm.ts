import type { TextForm } from "../answerForm.ts";
import { chunkEvents } from "../chunkEvents.ts";
import type { VotedForm } from "./answerVotes.ts";

/** OpenAI's bodies of an answer that was voted on: the whole one and the last piece of a stream tell how. */
export function votedForm(form: TextForm, includeUsage: boolean): VotedForm {
  return {
    whole: (head, result, opinion) => ({ ...form.whole(head, result), x_gleaner: opinion }),
    events: (head, opinion) => {
      const closing: TextForm["closing"] = (...end) => ({ ...form.closing(...end), x_gleaner: opinion });
      return chunkEvents(opinion === null ? form : { ...form, closing }, head, includeUsage);
    },
  };
}
