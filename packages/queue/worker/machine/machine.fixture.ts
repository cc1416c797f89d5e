import type { ClaimedJob } from "../contract/protocol.ts";
import { workerTimes } from "../contract/times.ts";
import type { Effect, MachineEvent, SentCall, WorkerState } from "./state.ts";
import { type InitialOptions, initialState, step } from "./step.ts";

type CallName = SentCall["name"];

/** The machine, with a clock and a queue that the test controls. Time passes only in `pass`. */
export class MachineAtTest {
  now = 0;
  state: WorkerState;
  readonly effects: Effect[] = [];
  /** Answers that are given at once, by the name of the call. */
  readonly answers: Partial<Record<CallName, unknown>> = {};
  /** The failures that come in place of the next such answers. */
  readonly failures: Partial<Record<CallName, ("broken" | "refused" | "unknown-key")[]>> = {};
  #wakeAt: number | null = null;

  constructor(options: Partial<InitialOptions> = {}) {
    this.state = initialState({
      version: undefined,
      kinds: ["echo"],
      times: { ...workerTimes, startAfterMs: 0, heldAfterMs: 0 },
      capacity: { concurrency: 1, prefetch: 0 },
      abilities: {},
      mode: { kind: "accepting" },
      ...options,
    });
  }

  /** A worker that the queue knows, and that may hold jobs. Its `take` is unanswered. */
  static greeted(options: Partial<InitialOptions> = {}, leaseMs = 40_000): MachineAtTest {
    const at = new MachineAtTest(options);
    at.answers.hello = { leaseMs };
    at.connect(1);
    return at;
  }

  connect(generation: number): void {
    this.send({ kind: "start" });
    this.send({ kind: "connection", connection: { connected: true, generation } });
  }

  /** Answers `take` with these jobs. */
  hold(...jobs: readonly ClaimedJob[]): void {
    this.answer("take", { kind: "ok", jobs, subscriptions: [], cursor: { laneId: null, place: 0, turn: 0 } });
  }

  send(event: MachineEvent): void {
    const { state, effects, wakeAt } = step(this.state, event, this.now);
    this.state = state;
    this.#wakeAt = wakeAt;
    this.effects.push(...effects);
    for (const effect of effects) {
      if (effect.kind === "flush") this.send({ kind: "flush" });
      if (effect.kind === "call") this.#answerAtOnce(effect);
    }
  }

  /** Passes so many ms, and does what is due meanwhile. */
  pass(ms: number): void {
    const end = this.now + ms;
    while (this.#wakeAt !== null && this.#wakeAt <= end) {
      this.now = Math.max(this.now, this.#wakeAt);
      this.send({ kind: "timer" });
    }
    this.now = end;
  }

  /** Answers the oldest call of this name that has no answer. */
  answer(name: CallName, answer: unknown): void {
    const { id, args } = this.#oldest(name);
    this.send({ kind: "answered", id, name, args, answer, random: 0 } as MachineEvent);
  }

  fail(name: CallName, kind: "broken" | "refused" | "unknown-key" = "broken"): void {
    this.send({ kind: "failed", id: this.#oldest(name).id, failure: { kind, error: "Error" }, random: 0 });
  }

  /** Every call so far of these names. */
  sent<N extends CallName>(
    ...names: readonly N[]
  ): readonly Extract<Effect & { kind: "call" }, { name: N }>[] {
    return this.effects.filter(
      (effect): effect is Extract<Effect & { kind: "call" }, { name: N }> =>
        effect.kind === "call" && names.includes(effect.name as N),
    );
  }

  told(): readonly string[] {
    return this.effects.flatMap((effect) => (effect.kind === "tell" ? [effect.event.kind] : []));
  }

  #oldest(name: CallName): SentCall {
    const call = this.state.calls.find((each) => each.name === name);
    if (call === undefined) throw new Error(`no call of ${name} is unanswered`);
    return call;
  }

  #answerAtOnce({ name }: Effect & { kind: "call" }): void {
    const failure = this.failures[name]?.shift();
    if (failure !== undefined) this.fail(name, failure);
    else if (name in this.answers) this.answer(name, this.answers[name]);
  }
}
