import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { ConvexClient } from "convex/browser";
import { sharedNow } from "../fleet/messages.ts";
import { ours, submitSized } from "../ours/side.ts";
import { startEmbedded } from "../support/embedded.ts";
import type { FromPacedFleet, ToPacedFleet } from "./messages.ts";
import type { TracedJob, WorkerSpeed } from "./trace.ts";

const entry = join(import.meta.dirname, "fleet-process.ts");
const registeredAtOnce = 20;
/** A job that has not ended by then counts with this time. */
const longestMs = 120_000;

/** A backend with workers of different speeds. */
export class PacedFleet {
  readonly #client: ConvexClient;
  readonly #child: ChildProcess;
  readonly #stopBackend: () => Promise<void>;
  readonly #sized: boolean;
  readonly #ended = new Map<number, (at: number) => void>();

  private constructor(url: string, stop: () => Promise<void>, child: ChildProcess, sized: boolean) {
    this.#client = new ConvexClient(url, { logger: false, unsavedChangesWarning: false });
    this.#stopBackend = stop;
    this.#child = child;
    this.#sized = sized;
    child.on("message", (message: FromPacedFleet) => {
      if (message.kind === "ended") this.#ended.get(message.number)?.(message.at);
    });
  }

  /** @param sized whether jobs tell their size. Without it the queue cannot compare speeds. */
  static async start(
    folder: string,
    { speeds, sized }: { readonly speeds: readonly WorkerSpeed[]; readonly sized: boolean },
  ): Promise<PacedFleet> {
    const file = join(folder, `placement-${sized ? "sized" : "blind"}.sqlite3`);
    const { url, stop } = await startEmbedded(file, { functions: ours.functions });
    const fleet = new PacedFleet(url, stop, fork(entry), sized);
    const workers = speeds.map((speed, n) => ({ key: `paced-worker-${n}-of-the-benchmark`, speed }));
    const keys = workers.map(({ key }) => key);
    for (let n = 0; n < keys.length; n += registeredAtOnce) {
      await ours.register(fleet.#client, keys.slice(n, n + registeredAtOnce));
    }
    await fleet.#ask({ kind: "start", url, workers }, "begun");
    return fleet;
  }

  /** The time from a job's submission to its end, in ms. */
  async turnaround({ number, tokens }: Pick<TracedJob, "number" | "tokens">): Promise<number> {
    const submittedAt = sharedNow();
    const ended = new Promise<number>((resolve) => this.#ended.set(number, resolve));
    let timer: NodeJS.Timeout | undefined;
    const overdue = new Promise<number>((resolve) => {
      timer = setTimeout(() => resolve(submittedAt + longestMs), longestMs);
    });
    await submitSized(this.#client, { number, tokens }, this.#sized ? { input: 0, output: tokens } : null);
    const endedAt = await Promise.race([ended, overdue]);
    clearTimeout(timer);
    this.#ended.delete(number);
    return endedAt - submittedAt;
  }

  /** The worker that starts the next job stops working on it, and goes on with its heartbeats. */
  async freezeNext(): Promise<void> {
    await this.#ask({ kind: "freeze" }, "freezing");
  }

  async #ask(message: ToPacedFleet, answer: FromPacedFleet["kind"]): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      const listen = ({ kind }: FromPacedFleet): void => {
        if (kind !== answer) return;
        this.#child.off("message", listen);
        resolve();
      };
      this.#child.on("message", listen);
    });
    const died = once(this.#child, "exit").then(() => {
      throw new Error("The process of workers ended.");
    });
    died.catch(() => undefined);
    this.#child.send(message);
    await Promise.race([answered, died]);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, "exit");
      this.#child.kill();
      await exited;
    }
    await this.#client.close();
    await this.#stopBackend();
  }
}
