import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Messages to the process that uses only the library. */
export type DirectTask = {
  readonly file: string;
  readonly prompts: readonly string[];
  readonly maxTokens: number;
  readonly sequences: number;
  readonly contextTokens: number;
  readonly threads: number;
};

export type DirectAnswer = { readonly tokens: number; readonly seconds: number };

/** The library in a separate process, which keeps the model in memory between tasks. */
export class Direct {
  readonly #child: ChildProcess = fork(join(import.meta.dirname, "direct-process.ts"), { execArgv: [] });

  async run(task: DirectTask): Promise<DirectAnswer> {
    this.#child.send(task);
    const answered = once(this.#child, "message") as Promise<[DirectAnswer]>;
    const ended = once(this.#child, "exit").then((): never => {
      throw new Error("The process that uses the library ended.");
    });
    const [answer] = await Promise.race([answered, ended]);
    return answer;
  }

  stop(): void {
    this.#child.removeAllListeners("exit");
    this.#child.kill();
  }
}
