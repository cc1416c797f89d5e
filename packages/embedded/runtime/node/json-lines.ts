import type { Duplex } from "node:stream";

/** Longest message in characters. Convex's values are smaller, even as JSON with each character escaped. */
const maxLength = 128 * 1024 * 1024;

/** The number of the pipe among a process's open files. */
export const pipeOfProcess = 3;

type Handlers = {
  readonly onMessage: (message: unknown) => void;
  /** Called when the other side sends something else than JSON, or too much of it. */
  readonly onFault: () => void;
};

/**
 * Sends and receives messages over a pipe, one line of JSON each. Unlike Node's own channel between processes, code that runs in
 * the process cannot find it.
 */
export class JsonLines {
  readonly #pipe: Duplex;
  readonly #handlers: Handlers;
  #parts: string[] = [];
  #length = 0;

  constructor(pipe: Duplex, handlers: Handlers) {
    this.#pipe = pipe;
    this.#handlers = handlers;
    // The end of the process tells more.
    pipe.on("error", () => undefined);
    pipe.setEncoding("utf8").on("data", (text: string) => this.#receive(text));
  }

  send(message: object): void {
    if (this.#pipe.writable) this.#pipe.write(`${JSON.stringify(message)}\n`);
  }

  #receive(text: string): void {
    const [first = "", ...rest] = text.split("\n");
    this.#add(first);
    for (const next of rest) {
      this.#take();
      this.#add(next);
    }
  }

  #add(part: string): void {
    this.#length += part.length;
    this.#parts.push(part);
    if (this.#length <= maxLength) return;
    this.#pipe.destroy();
    this.#handlers.onFault();
  }

  #take(): void {
    const line = this.#parts.join("");
    this.#parts = [];
    this.#length = 0;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#handlers.onFault();
      return;
    }
    this.#handlers.onMessage(message);
  }
}
