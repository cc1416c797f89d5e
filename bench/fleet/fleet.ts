import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CallKind, SideName } from "../side.ts";
import { type CallCounts, type FromFleet, noCalls, type ToFleet } from "./messages.ts";

const entry = join(import.meta.dirname, "fleet-process.ts");
/** A fleet without calls for this long counts as quiet. */
const quietMs = 60;
const neverQuietMs = 60_000;
const perProcess = 250;

export type FleetEvents = {
  readonly onStarted?: (number: number, at: number) => void;
  readonly onCompleted?: (at: number) => void;
};

type FleetState = {
  readonly quiet: boolean;
  readonly calls: CallCounts;
  readonly failures: readonly string[];
};

type FleetOptions = {
  readonly side: SideName;
  readonly url: string;
  /** The workers' keys. */
  readonly keys: readonly string[];
  /** The time over which they start, in ms. */
  readonly spreadMs?: number;
  readonly events?: FleetEvents;
};

/** Real workers with real clients, in enough processes to keep their event loops free. */
export class Fleet {
  readonly #members: readonly FleetProcess[];

  private constructor(members: readonly FleetProcess[]) {
    this.#members = members;
  }

  /** Resolves when all are started. `quiet` resolves when they are idle. */
  static async start({ side, url, keys, spreadMs = 0, events = {} }: FleetOptions): Promise<Fleet> {
    const processes = Math.max(1, Math.ceil(keys.length / perProcess));
    const members = Array.from({ length: processes }, () => new FleetProcess(events));
    const dealt = members.map((_, n) => keys.filter((_key, index) => index % processes === n));
    await Promise.all(
      members.map((member, n) =>
        member.ask({ kind: "start", side, url, keys: dealt[n] ?? [], spreadMs }, "begun"),
      ),
    );
    return new Fleet(members);
  }

  /** Resolves when no worker has had a call in flight for a moment. */
  async quiet(): Promise<void> {
    const began = performance.now();
    for (let times = 0; times < 2;) {
      if (performance.now() - began > neverQuietMs) throw new Error("The workers did not become quiet.");
      times = (await this.state()).quiet ? times + 1 : 0;
      await sleep(quietMs / 2);
    }
  }

  /** The processes that hold the workers. */
  get pids(): readonly number[] {
    return this.#members.map(({ pid }) => pid);
  }

  async state(): Promise<FleetState> {
    const states = await Promise.all(this.#members.map((member) => member.ask({ kind: "ask" }, "state")));
    return {
      quiet: states.every(({ quiet }) => quiet),
      calls: states.map(({ calls }) => calls).reduce(addCounts, noCalls),
      failures: states.flatMap(({ failures }) => failures),
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.stop()));
  }
}

class FleetProcess {
  readonly #child: ChildProcess = fork(entry);
  readonly #waiting = new Map<FromFleet["kind"], (message: FromFleet) => void>();
  readonly #died: Promise<never>;

  constructor(events: FleetEvents) {
    this.#died = new Promise((_, reject) => {
      this.#child.once("exit", (code) =>
        reject(new Error(`A process of workers ended with ${code ?? "a signal"}.`)),
      );
    });
    // `ask` reports the error. Without a pending `ask` it must not count as unhandled.
    this.#died.catch(() => undefined);
    this.#child.on("message", (message: FromFleet) => {
      if (message.kind === "started") events.onStarted?.(message.number, message.at);
      else if (message.kind === "completed") events.onCompleted?.(message.at);
      else this.#waiting.get(message.kind)?.(message);
    });
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** Sends a message and waits for its answer. Only one call for each kind of answer at a time. */
  ask<Kind extends FromFleet["kind"]>(
    message: ToFleet,
    answer: Kind,
  ): Promise<Extract<FromFleet, { kind: Kind }>> {
    const answered = new Promise<Extract<FromFleet, { kind: Kind }>>((resolve) => {
      this.#waiting.set(answer, (reply) => resolve(reply as Extract<FromFleet, { kind: Kind }>));
    });
    this.#child.send(message);
    return Promise.race([answered, this.#died]);
  }

  /** Kills the process, even while jobs run. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill();
    await exited;
  }
}

function addCounts(a: CallCounts, b: CallCounts): CallCounts {
  const kinds = Object.keys(a) as CallKind[];
  return Object.fromEntries(kinds.map((kind) => [kind, a[kind] + b[kind]])) as CallCounts;
}
