import type { ToolCall } from "../../../app/jobs/chat.ts";
import type { TokenChoice } from "../../../app/jobs/sampling.ts";
import type { TextResult } from "../answerForm.ts";
import type { CallPart, Streamed } from "../continueAnswer.ts";
import { namedEvent } from "../eventStream.ts";
import { type AnswerCost, type ApiError, errorBody } from "../respond.ts";
import type { TextEvents } from "../stream.ts";
import {
  callItem,
  callItemId,
  endStatus,
  logprobOf,
  messageId,
  messageItem,
  responseBody,
  type ResponseHead,
  textPart,
} from "./responseBody.ts";

type Said = Pick<Streamed, "text" | "logprobs">;
type IndexedCall = ToolCall & { readonly index: number };

/** The events of a streamed response. Each has the next sequence number. */
export class ResponseEvents implements TextEvents {
  readonly #head: ResponseHead;
  #sequence = 0;
  /** The text that was sent. Null before the item of the text has begun. */
  #said: Said | null = null;
  readonly #calls: IndexedCall[] = [];

  constructor(head: ResponseHead) {
    this.#head = head;
  }

  opening(): readonly string[] {
    const response = responseBody(this.#head, "in_progress");
    return [this.#event("response.created", { response }), this.#event("response.in_progress", { response })];
  }

  text(piece: string, logprobs: readonly TokenChoice[]): readonly string[] {
    const begun = this.#said === null ? this.#beginText() : [];
    const { text = "", logprobs: before = [] } = this.#said ?? {};
    this.#said = { text: text + piece, logprobs: [...before, ...logprobs] };
    const delta = { ...this.#place(), delta: piece, logprobs: logprobs.map(logprobOf) };
    return [...begun, this.#event("response.output_text.delta", delta)];
  }

  call({ isFirst, ...part }: CallPart): readonly string[] {
    const events: string[] = [];
    const { index } = part;
    if (isFirst) {
      events.push(...this.#endItem("completed"));
      const item = callItem(this.#head.jobId, { ...part, arguments: "" }, "in_progress");
      this.#calls.push({ ...part, arguments: "" });
      events.push(
        this.#event("response.output_item.added", { output_index: this.#outputIndex(index), item }),
      );
    }
    const { arguments: before = "" } = this.#calls[index] ?? {};
    this.#calls[index] = { ...part, arguments: before + part.arguments };
    if (part.arguments !== "") {
      const delta = { ...this.#callPlace(index), delta: part.arguments };
      events.push(this.#event("response.function_call_arguments.delta", delta));
    }
    return events;
  }

  closing(result: TextResult, cost: AnswerCost): readonly string[] {
    const { text, logprobs = [] } = result;
    const status = endStatus(result);
    const begun = this.#said === null && this.#calls.length === 0 ? this.#beginText() : [];
    // The text of an answer may have lost blanks at its end.
    if (this.#calls.length === 0) this.#said = { text, logprobs };
    const events = [...begun, ...this.#endItem(status)];
    const response = responseBody(this.#head, status, { result, cost });
    return [...events, this.#event(`response.${status}`, { response })];
  }

  error(error: ApiError): readonly string[] {
    const { code, message, param = null } = error;
    return [this.#event("error", { ...errorBody(error), code, message, param })];
  }

  #beginText(): readonly string[] {
    this.#said = { text: "", logprobs: [] };
    const item = messageItem(this.#head.jobId, "in_progress", []);
    return [
      this.#event("response.output_item.added", { output_index: 0, item }),
      this.#event("response.content_part.added", { ...this.#place(), part: textPart("") }),
    ];
  }

  /** Ends the item that was sent last, if there is one. */
  #endItem(status: string): readonly string[] {
    const call = this.#calls.at(-1);
    if (call !== undefined) return this.#endCall(call, status);
    return this.#said === null ? [] : this.#endText(this.#said, status);
  }

  #endText({ text, logprobs }: Said, status: string): readonly string[] {
    const part = textPart(text, logprobs);
    const item = messageItem(this.#head.jobId, status, [part]);
    const done = { ...this.#place(), text, logprobs: logprobs.map(logprobOf) };
    return [
      this.#event("response.output_text.done", done),
      this.#event("response.content_part.done", { ...this.#place(), part }),
      this.#event("response.output_item.done", { output_index: 0, item }),
    ];
  }

  #endCall(call: IndexedCall, status: string): readonly string[] {
    const { index, arguments: json } = call;
    const done = { ...this.#callPlace(index), arguments: json };
    const item = callItem(this.#head.jobId, call, status);
    return [
      this.#event("response.function_call_arguments.done", done),
      this.#event("response.output_item.done", { output_index: this.#outputIndex(index), item }),
    ];
  }

  #outputIndex(callIndex: number): number {
    return callIndex + (this.#said === null ? 0 : 1);
  }

  #callPlace(index: number): object {
    return { item_id: callItemId(this.#head.jobId, index), output_index: this.#outputIndex(index) };
  }

  #place(): object {
    return { item_id: messageId(this.#head.jobId), output_index: 0, content_index: 0 };
  }

  #event(type: string, fields: object): string {
    const body = { type, sequence_number: this.#sequence, ...fields };
    this.#sequence += 1;
    return namedEvent(type, body);
  }
}
