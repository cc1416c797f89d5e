import type { AnswerHead, TextResult } from "../openai/answerForm.ts";
import type { ApiError } from "../openai/respond.ts";
import type { TextEvents } from "../openai/stream.ts";
import { anthropicError, messageBody, stopReasons, toolBlock, usageOf } from "./messageBody.ts";

/** The events of a streamed message. */
export class MessageEvents implements TextEvents {
  readonly #head: AnswerHead;
  /** Whether the block of the text has begun. */
  #hasText = false;

  constructor(head: AnswerHead) {
    this.#head = head;
  }

  opening(): readonly string[] {
    return [event("message_start", { message: messageBody(this.#head, null) })];
  }

  text(piece: string): readonly string[] {
    return [...this.#beginText(), delta(0, { type: "text_delta", text: piece })];
  }

  closing(result: TextResult): readonly string[] {
    const { toolCalls = [], finishReason } = result;
    const text = toolCalls.length === 0 ? this.#beginText() : [];
    const stop = this.#hasText ? [event("content_block_stop", { index: 0 })] : [];
    const first = this.#hasText ? 1 : 0;
    const calls = toolCalls.flatMap((call, at) => {
      const index = first + at;
      return [
        event("content_block_start", { index, content_block: toolBlock(call) }),
        delta(index, { type: "input_json_delta", partial_json: call.arguments }),
        event("content_block_stop", { index }),
      ];
    });
    const end = { stop_reason: stopReasons[finishReason], stop_sequence: null, stop_details: null };
    return [
      ...text,
      ...stop,
      ...calls,
      event("message_delta", { delta: end, usage: usageOf(result) }),
      event("message_stop", {}),
    ];
  }

  error(error: ApiError): readonly string[] {
    return [`event: error\ndata: ${JSON.stringify(anthropicError(error))}`];
  }

  #beginText(): readonly string[] {
    if (this.#hasText) return [];
    this.#hasText = true;
    const block = { type: "text", text: "", citations: null };
    return [event("content_block_start", { index: 0, content_block: block })];
  }
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}`;
}

function delta(index: number, change: object): string {
  return event("content_block_delta", { index, delta: change });
}
