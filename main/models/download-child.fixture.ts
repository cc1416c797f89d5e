import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./download.child.ts", import.meta.url));

export type Report = { readonly state: string; readonly held: number };

/** A donor's models in a separate process. */
export class DownloadChild {
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  #onReport: (report: Report) => void = () => undefined;

  constructor(order: object) {
    const child = spawn(process.execPath, [program, JSON.stringify(order)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#process = child;
    this.#exited = new Promise((resolve) => child.once("exit", resolve));
    createInterface({ input: child.stdout }).on("line", (line) => this.#onReport(JSON.parse(line) as Report));
  }

  /** Resolves at the first report that satisfies `isEnough`. */
  async until(isEnough: (report: Report) => boolean): Promise<void> {
    await Promise.race([
      new Promise<void>((resolve) => {
        this.#onReport = (report) => {
          if (isEnough(report)) resolve();
        };
      }),
      this.#exited.then(() => {
        throw new Error("The process ended.");
      }),
    ]);
    this.#onReport = () => undefined;
  }

  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#exited;
  }
}
