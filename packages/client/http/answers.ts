import type * as z from "zod";
import { readFileFrom } from "./files.ts";
import type { Http } from "./http.ts";
import { answerLine, errorBody } from "./objects.ts";

/** The end of one line of a batch: the body of its answer, or why there is none. */
export type BatchAnswer =
  | { readonly id: string; readonly body: unknown; readonly error: null }
  | {
      readonly id: string;
      readonly body: null;
      readonly error: { readonly code: string; readonly message: string };
    };

/** An output or error file, which gets longer while its batch runs. */
export class AnswerFile {
  readonly #http: Http;
  #offset = 0;
  #rest = "";
  readonly #decoder = new TextDecoder();

  constructor(http: Http) {
    this.#http = http;
  }

  /** The answers that were added since the last call. */
  async *newAnswers(fileId: string, signal?: AbortSignal): AsyncGenerator<BatchAnswer, undefined> {
    for await (const bytes of readFileFrom(this.#http, fileId, this.#offset, signal)) {
      this.#offset += bytes.length;
      const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") yield answerOf(this.#http.parseText(line, answerLine));
    }
    return undefined;
  }
}

function answerOf({ custom_id: id, response, error }: z.output<typeof answerLine>): BatchAnswer {
  if (response?.status_code === 200) return { id, body: response.body, error: null };
  const said = errorBody.safeParse(response?.body).data?.error ?? error;
  return {
    id,
    body: null,
    error: { code: said?.code ?? "", message: said?.message ?? "The request failed." },
  };
}
