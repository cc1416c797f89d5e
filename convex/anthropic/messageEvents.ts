import type { AnswerHead, TextResult } from "../openai/answerForm.ts";
import type { CallPart } from "../openai/continueAnswer.ts";
import { namedEvent } from "../openai/eventStream.ts";
import { type AnswerCost, type ApiError, costBody, ownField } from "../openai/respond.ts";
import type { TextEvents } from "../openai/stream.ts";
import type { Opinion } from "../openai/votes/decide.ts";
import { anthropicError, messageBody, stopOf, toolBlock, usageOf } from "./messageBody.ts";

/** The events of a streamed message. */
export class MessageEvents implements TextEvents {
  readonly #head: AnswerHead;
  readonly #opinion: Opinion | null;
  /** The blocks that have begun. The last one is open. */
  #blocks = 0;

  /** @param opinion of its votes; null without any. */
  constructor(head: AnswerHead, opinion: Opinion | null = null) {
    this.#head = head;
    this.#opinion = opinion;
  }

  opening(): readonly string[] {
    return [event("message_start", { message: messageBody(this.#head, null) })];
  }

  text(piece: string): readonly string[] {
    const begun = this.#blocks === 0 ? this.#begin(textBlock) : [];
    return [...begun, delta(0, { type: "text_delta", text: piece })];
  }

  call({ isFirst, ...part }: CallPart): readonly string[] {
    const begun = isFirst ? this.#begin(toolBlock(part)) : [];
    const change = { type: "input_json_delta", partial_json: part.arguments };
    return [...begun, delta(this.#blocks - 1, change)];
  }

  closing(result: TextResult, cost: AnswerCost): readonly string[] {
    const begun = this.#blocks === 0 ? this.#begin(textBlock) : [];
    const own = ownField(this.#opinion, costBody(this.#head, cost));
    const end = { ...stopOf(result), stop_details: null, container: null };
    return [
      ...begun,
      ...this.#endBlock(),
      event("message_delta", { delta: end, usage: usageOf(result), ...own }),
      event("message_stop", {}),
    ];
  }

  error(error: ApiError): readonly string[] {
    return [`event: error\ndata: ${JSON.stringify(anthropicError(error))}`];
  }

  /** Ends the open block and begins the next one. */
  #begin(content_block: object): readonly string[] {
    const ended = this.#endBlock();
    this.#blocks += 1;
    return [...ended, event("content_block_start", { index: this.#blocks - 1, content_block })];
  }

  #endBlock(): readonly string[] {
    return this.#blocks === 0 ? [] : [event("content_block_stop", { index: this.#blocks - 1 })];
  }
}

const textBlock = { type: "text", text: "", citations: null };

function event(type: string, fields: object): string {
  return namedEvent(type, { type, ...fields });
}

function delta(index: number, change: object): string {
  return event("content_block_delta", { index, delta: change });
}
