import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./download.child.ts", import.meta.url));

export type Told = { readonly state: string; readonly held: number };

/** A donor's models in a separate process. */
export class DownloadChild {
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  #onTold: (told: Told) => void = () => undefined;

  constructor(order: object) {
    const child = spawn(process.execPath, [program, JSON.stringify(order)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#process = child;
    this.#exited = new Promise((resolve) => child.once("exit", resolve));
    createInterface({ input: child.stdout }).on("line", (line) => this.#onTold(JSON.parse(line) as Told));
  }

  /** Resolves at the first report that satisfies `isEnough`. */
  async until(isEnough: (told: Told) => boolean): Promise<void> {
    await Promise.race([
      new Promise<void>((resolve) => {
        this.#onTold = (told) => {
          if (isEnough(told)) resolve();
        };
      }),
      this.#exited.then(() => {
        throw new Error("The process ended.");
      }),
    ]);
    this.#onTold = () => undefined;
  }

  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#exited;
  }
}
