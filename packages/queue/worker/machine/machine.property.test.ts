import fc from "fast-check";
import { expect, it } from "vitest";
import type { ClaimedJob, NextWork } from "../contract/protocol.ts";
import { claimedJob, someCursor, someSubscription } from "../fake-queue.fixture.ts";
import { countHandlers, countTaken } from "./capacity.ts";
import { MachineAtTest } from "./machine.fixture.ts";
import type { HandlerEnd, MachineEvent, SentCall } from "./state.ts";

const endings = ["complete", "fail", "release"];

/** A queue and handlers that act at random, but within the queue's promises. */
class RandomWorld {
  readonly at: MachineAtTest;
  readonly #concurrency: number;
  /** The attempts that the queue counts as this worker's. */
  readonly #held = new Set<string>();
  /** The accepted end of each attempt; `gone` when it was canceled. */
  readonly ends = new Map<string, string[]>();
  #lastAttempt = 0;
  #generation = 0;

  constructor(concurrency: number, prefetch: number) {
    this.#concurrency = concurrency;
    this.at = new MachineAtTest({ capacity: { concurrency, prefetch } });
  }

  readonly actions: Readonly<Record<string, (pick: number) => void>> = {
    start: () => this.#send({ kind: "start" }),
    connect: () => {
      this.#generation += 1;
      this.#send({ kind: "connection", connection: { connected: true, generation: this.#generation } });
    },
    cut: () =>
      this.#send({ kind: "connection", connection: { connected: false, generation: this.#generation } }),
    accept: () => this.#send({ kind: "accept" }),
    pause: () => this.#send({ kind: "pause", reason: "in-use" }),
    finish: () => this.#send({ kind: "finish", reason: "finishing" }),
    pauseTaking: (pick) => this.#send({ kind: "pause-taking", ms: pick }),
    holdNewJobs: (pick) => this.#send({ kind: "hold-new-jobs", on: pick % 2 === 0 }),
    change: (pick) =>
      this.#send({ kind: "capabilities", abilities: { memoryMb: pick }, capacity: undefined }),
    pass: (pick) => this.#pass(pick),
    passLong: (pick) => this.#pass(pick * 30),
    answer: (pick) => this.answer(pick),
    answerNext: () => this.answer(0),
    fail: (pick) => this.#fail(pick),
    cancel: (pick) => this.#cancel(pick),
    showHeld: () => this.#showHeld(),
    showReady: (pick) => this.#showReady(pick),
    hand: () => this.#hand(),
    endHandler: (pick) => this.endHandler(pick),
    text: (pick) => this.#output(pick, { kind: "text", attemptId: "", text: "x", data: [] }),
    progress: (pick) => this.#output(pick, { kind: "progress", attemptId: "", view: pick }),
  };

  get running(): readonly string[] {
    const isAtWork = ({ kind }: { kind: string }): boolean =>
      kind === "running" || kind === "stopping" || kind === "dropping";
    return [...this.at.state.attempts].filter(([, { state }]) => isAtWork(state)).map(([id]) => id);
  }

  #send(event: MachineEvent): void {
    this.at.send(event);
    this.#check();
  }

  #pass(ms: number): void {
    this.at.pass(ms);
    this.#check();
  }

  #check(): void {
    expect(countHandlers(this.at.state)).toBeLessThanOrEqual(this.#concurrency);
    expect(countTaken(this.at.state)).toBeLessThanOrEqual(16);
    for (const accepted of this.ends.values()) expect(accepted.length).toBeLessThanOrEqual(1);
  }

  answer(pick: number): void {
    const call = this.#pick(this.at.state.calls, pick);
    if (call === undefined) return;
    const answer = this.#answerTo(call, pick);
    // Once a call is answered, subscriptions show its effects.
    this.#showHeld();
    const { id, name, args } = call;
    this.#send({ kind: "answered", id, name, args, answer, random: 0 } as MachineEvent);
  }

  endHandler(pick: number): void {
    const attemptId = this.#pick(this.running, pick);
    const ends: readonly HandlerEnd[] = [
      { kind: "done", result: pick, report: undefined },
      { kind: "failed", error: { code: "handler_error", message: "m", retryable: true } },
      { kind: "stopped" },
    ];
    const end = ends[pick % ends.length];
    if (attemptId !== undefined && end !== undefined) this.#send({ kind: "handler-ended", attemptId, end });
  }

  #fail(pick: number): void {
    const call = this.#pick(this.at.state.calls, pick);
    if (call === undefined) return;
    this.#send({ kind: "failed", id: call.id, failure: { kind: "broken", error: "Error" }, random: 0.5 });
  }

  #cancel(pick: number): void {
    const attemptId = this.#pick([...this.#held], pick);
    if (attemptId === undefined) return;
    this.#held.delete(attemptId);
    this.#endedBy(attemptId, "gone");
  }

  #showHeld(): void {
    const rows = [...this.#held].map((attemptId) => ({ attemptId, watched: true }));
    if (this.at.state.followsHeld) this.#send({ kind: "held", rows });
  }

  #showReady(pick: number): void {
    const { followed } = this.at.state;
    const jobs = [{ jobId: `j${pick % 3}`, laneId: "l", late: pick % 2 === 0 }];
    if (followed !== null) this.#send({ kind: "candidates", seen: { subscriptions: followed, jobs } });
  }

  #hand(): void {
    if (this.at.state.followed === null || this.#held.size > 0) return;
    this.#send({ kind: "handed", jobs: [this.#give(false)] });
  }

  #output(pick: number, event: Extract<MachineEvent, { kind: "text" | "progress" }>): void {
    const attemptId = this.#pick(this.running, pick);
    if (attemptId !== undefined) this.#send({ ...event, attemptId });
  }

  #pick<T>(all: readonly T[], pick: number): T | undefined {
    return all[pick % Math.max(1, all.length)];
  }

  #give(begun: boolean): ClaimedJob {
    const attemptId = `a${(this.#lastAttempt += 1)}`;
    this.#held.add(attemptId);
    this.ends.set(attemptId, []);
    return claimedJob(attemptId, { begun });
  }

  #endedBy(attemptId: string, end: string): void {
    this.ends.get(attemptId)?.push(end);
  }

  /** Ends an attempt if it is still this worker's. Returns whether it was. */
  #end(attemptId: string, end: string): boolean {
    if (!this.#held.delete(attemptId)) return false;
    this.#endedBy(attemptId, end);
    return true;
  }

  #next(requested: number, pick: number): NextWork {
    const isClaiming = this.at.state.calls.some(({ name }) => name === "claim");
    let room = this.#concurrency - countHandlers(this.at.state) - (isClaiming ? 1 : 0);
    const jobs = Array.from({ length: pick % (requested + 1) }, () => this.#give(room-- > 0));
    return { jobs, subscriptions: jobs.length < requested ? [someSubscription] : [], cursor: someCursor };
  }

  #answerTo(call: SentCall, pick: number): unknown {
    switch (call.name) {
      case "hello":
        return { leaseMs: 40_000 };
      case "take":
        if (pick % 5 === 0) return { kind: "unable", reason: pick % 2 === 0 ? "full" : "paused" };
        return { kind: "ok", ...this.#next(call.args.demand.jobs, pick) };
      case "claim":
        if (pick % 3 === 0) return { kind: "taken" };
        return { kind: "claimed", job: this.#give(true), subscriptions: [], cursor: someCursor };
      case "complete":
      case "fail": {
        const isHeld = this.#end(call.args.attemptId, call.name);
        const kind = call.name === "complete" ? "completed" : "failed";
        return { kind: isHeld ? kind : "fenced", ...this.#next(call.args.demand.jobs, pick) };
      }
      case "release":
        return { fenced: call.args.attemptIds.filter((attemptId) => !this.#end(attemptId, "release")) };
      case "append":
      case "progress":
        return { kind: this.#held.has(call.args.attemptId) ? "ok" : "fenced" };
      case "start":
        return { fenced: call.args.attemptIds.filter((attemptId) => !this.#held.has(attemptId)) };
      default:
        return null;
    }
  }
}

const worlds = fc.record({
  concurrency: fc.integer({ min: 1, max: 3 }),
  prefetch: fc.integer({ min: 0, max: 2 }),
});
const names = Object.keys(new RandomWorld(1, 0).actions);
const runs = fc.array(fc.tuple(fc.constantFrom(...names, "answerNext", "answerNext"), fc.nat(2_000)), {
  maxLength: 120,
});

function play(
  { concurrency, prefetch }: { concurrency: number; prefetch: number },
  steps: [string, number][],
) {
  const world = new RandomWorld(concurrency, prefetch);
  world.actions["start"]?.(0);
  world.actions["connect"]?.(0);
  for (const [name, pick] of steps) world.actions[name]?.(pick);
  return world;
}

it("runs no more handlers than it may, and ends each attempt once", () => {
  fc.assert(
    fc.property(worlds, runs, (size, steps) => {
      const world = play(size, steps);
      // Every call is answered, and no job is taken: each attempt ends.
      world.actions["connect"]?.(0);
      world.actions["start"]?.(0);
      world.actions["pause"]?.(0);
      for (let round = 0; round < 50; round += 1) {
        world.endHandler(2);
        world.answer(0);
        world.actions["showHeld"]?.(0);
        world.actions["passLong"]?.(100);
      }
      expect(world.running).toEqual([]);
      expect([...world.at.state.attempts.keys()]).toEqual([]);
      expect([...world.ends].filter(([, ends]) => ends.length !== 1)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

it("sends no call after goodbye, and starts no job after stop", () => {
  fc.assert(
    fc.property(worlds, runs, runs, fc.nat(5_000), (size, before, after, leaveMs) => {
      const world = play(size, before);
      const { at } = world;
      at.send({ kind: "stop", finishMs: leaveMs % 700, leaveMs });
      const begun = at.effects.length;
      for (const [name, pick] of after) world.actions[name]?.(pick);
      at.pass(leaveMs + 700);
      expect(at.state.stop).toEqual({ kind: "over" });
      const later = at.effects.slice(begun);
      expect(later.filter(({ kind }) => kind === "run")).toEqual([]);
      const calls = at.effects.flatMap((effect) => (effect.kind === "call" ? [effect.name] : []));
      const goodbye = calls.indexOf("goodbye");
      if (goodbye >= 0) expect(calls.slice(goodbye)).toEqual(["goodbye"]);
      const sent = at.effects.length;
      for (const [name, pick] of after) world.actions[name]?.(pick);
      expect(at.effects).toHaveLength(sent);
    }),
    { numRuns: 300 },
  );
});

it("sends one end of an attempt at a time, and none after one was accepted", () => {
  fc.assert(
    fc.property(worlds, runs, (size, steps) => {
      const { at } = play(size, steps);
      const { calls, retries } = at.state;
      const underWay = [...calls, ...retries.map(({ call }) => call)]
        .filter(({ name }) => endings.includes(name))
        .flatMap(({ args }) =>
          "attemptIds" in args ? args.attemptIds : "attemptId" in args ? [args.attemptId] : [],
        );
      expect(new Set(underWay).size).toBe(underWay.length);
    }),
    { numRuns: 300 },
  );
});
