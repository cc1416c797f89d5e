import type { LogFields, LogLevel } from "../contract/log.ts";
import type { WorkerEvent } from "../contract/worker-options.ts";
import type { Attempt, Call, Effect, SentCall, WorkerState } from "./state.ts";

/** One step of the machine while it runs: the state, the effects and the wake-up time so far. */
export class Turn {
  readonly now: number;
  readonly effects: Effect[] = [];
  #state: WorkerState;
  #wakeAt = Infinity;

  constructor(state: WorkerState, now: number) {
    this.#state = state;
    this.now = now;
  }

  get state(): WorkerState {
    return this.#state;
  }

  get wakeAt(): number | null {
    return this.#wakeAt === Infinity ? null : this.#wakeAt;
  }

  set(changes: Partial<WorkerState>): void {
    this.#state = { ...this.#state, ...changes };
  }

  /** Whether this moment has come. If not, the machine wakes then. */
  due(at: number): boolean {
    if (this.now >= at) return true;
    this.#wakeAt = Math.min(this.#wakeAt, at);
    return false;
  }

  effect(effect: Effect): void {
    this.effects.push(effect);
  }

  tell(event: WorkerEvent): void {
    this.effect({ kind: "tell", event });
  }

  log(level: LogLevel, event: string, fields: LogFields = {}): void {
    this.effect({ kind: "log", level, event, fields });
  }

  /** @param failures how often the same call has failed so far. */
  call(call: Call, failures = 0): void {
    const id = this.#state.lastCallId + 1;
    const { connection, stop } = this.#state;
    // Goodbye is the last call.
    if (stop.kind === "leaving" && stop.saidGoodbye) return;
    const { generation } = connection;
    if (isJobRequest(call) && call.args.demand.jobs > 0) this.set({ inRings: true });
    const calls: readonly SentCall[] = [...this.#state.calls, { ...call, id, generation, failures }];
    this.set({ calls, lastCallId: id, lastSentAt: this.now });
    this.effect({ kind: "call", id, ...call });
  }

  /** Removes a call that has been answered or has failed. Undefined: it is not known. */
  endCall(id: number): SentCall | undefined {
    const call = this.#state.calls.find((each) => each.id === id);
    if (call !== undefined) this.set({ calls: this.#state.calls.filter((each) => each !== call) });
    return call;
  }

  setAttempt(attemptId: string, changes: Partial<Attempt>): void {
    const attempt = this.#state.attempts.get(attemptId);
    if (attempt === undefined) return;
    this.set({ attempts: new Map(this.#state.attempts).set(attemptId, { ...attempt, ...changes }) });
  }
}

type JobRequest = { readonly name: "take" | "complete" | "fail" };

/** Whether the call asks for jobs by a demand. */
export function isJobRequest<C extends { readonly name: string }>(call: C): call is Extract<C, JobRequest> {
  return call.name === "take" || call.name === "complete" || call.name === "fail";
}
