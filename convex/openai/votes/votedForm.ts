import type { TextForm } from "../answerForm.ts";
import { chunkEvents } from "../chunkEvents.ts";
import { ownField } from "../respond.ts";
import type { VotedForm } from "./answerVotes.ts";

/** OpenAI's bodies of an answer that was voted on: the whole one and the last piece of a stream tell how. */
export function votedForm(form: TextForm, includeUsage: boolean): VotedForm {
  return {
    whole: (head, result, opinion) => ({ ...form.whole(head, result), ...ownField(opinion) }),
    events: (head, opinion) => chunkEvents(form, head, includeUsage, { opinion }),
  };
}
