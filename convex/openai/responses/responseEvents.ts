import type { TextResult } from "../answerForm.ts";
import { type ApiError, errorBody } from "../respond.ts";
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

/** The events of a streamed response. Each has the next sequence number. */
export class ResponseEvents implements TextEvents {
  readonly #head: ResponseHead;
  #sequence = 0;
  /** The text that was sent. Null before the item of the text has begun. */
  #text: string | null = null;

  constructor(head: ResponseHead) {
    this.#head = head;
  }

  opening(): readonly string[] {
    const response = responseBody(this.#head, "in_progress");
    return [this.#event("response.created", { response }), this.#event("response.in_progress", { response })];
  }

  text(piece: string): readonly string[] {
    const begun = this.#text === null ? this.#beginText() : [];
    this.#text = (this.#text ?? "") + piece;
    return [
      ...begun,
      this.#event("response.output_text.delta", { ...this.#place(), delta: piece, logprobs: [] }),
    ];
  }

  closing(result: TextResult): readonly string[] {
    const { jobId } = this.#head;
    const { toolCalls = [], text, logprobs = [] } = result;
    const status = endStatus(result);
    const events: string[] = [];
    if (this.#text === null && (text !== "" || toolCalls.length === 0)) events.push(...this.#beginText());
    if (this.#text !== null) {
      const part = textPart(text, logprobs);
      const item = messageItem(jobId, status, [part]);
      events.push(
        this.#event("response.output_text.done", {
          ...this.#place(),
          text,
          logprobs: logprobs.map(logprobOf),
        }),
        this.#event("response.content_part.done", { ...this.#place(), part }),
        this.#event("response.output_item.done", { output_index: 0, item }),
      );
    }
    const before = this.#text === null ? 0 : 1;
    toolCalls.forEach((call, index) => {
      const at = { output_index: before + index };
      const place = { ...at, item_id: callItemId(jobId, index) };
      const empty = callItem(jobId, { ...call, arguments: "", index }, "in_progress");
      events.push(
        this.#event("response.output_item.added", { ...at, item: empty }),
        this.#event("response.function_call_arguments.delta", { ...place, delta: call.arguments }),
        this.#event("response.function_call_arguments.done", {
          ...place,
          name: call.name,
          arguments: call.arguments,
        }),
        this.#event("response.output_item.done", {
          ...at,
          item: callItem(jobId, { ...call, index }, status),
        }),
      );
    });
    const response = responseBody(this.#head, status, { result });
    return [...events, this.#event(`response.${status}`, { response })];
  }

  error(error: ApiError): readonly string[] {
    const { code, message, param = null } = error;
    return [this.#event("error", { ...errorBody(error), code, message, param })];
  }

  #beginText(): readonly string[] {
    this.#text = "";
    const item = messageItem(this.#head.jobId, "in_progress", []);
    return [
      this.#event("response.output_item.added", { output_index: 0, item }),
      this.#event("response.content_part.added", { ...this.#place(), part: textPart("") }),
    ];
  }

  #place(): object {
    return { item_id: messageId(this.#head.jobId), output_index: 0, content_index: 0 };
  }

  #event(type: string, fields: object): string {
    const body = { type, sequence_number: this.#sequence, ...fields };
    this.#sequence += 1;
    return `event: ${type}\ndata: ${JSON.stringify(body)}`;
  }
}
