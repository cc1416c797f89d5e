import type { LlamaContextSequence } from "node-llama-cpp";
import { describe, expect, it } from "vitest";
import { demoModel, planOf } from "../runner.fixture.ts";
import { BatchSharing } from "./batch-sharing.ts";
import { Libraries } from "./libraries.ts";
import { ModelSlot } from "./model-slot.ts";
import { SharedBatches } from "./shared-batches.ts";

const turnOfEvents = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
const never = new AbortController().signal;

/** Steps that end when they are told to. */
class Steps {
  readonly batches: SharedBatches;
  readonly begun: string[] = [];
  readonly #ends = new Map<string, (error?: Error) => void>();

  constructor(sharing?: BatchSharing) {
    this.batches = new SharedBatches(sharing);
  }

  add(name: string): Promise<unknown> {
    return this.batches.step(
      () =>
        new Promise<void>((resolve, reject) => {
          this.begun.push(name);
          this.#ends.set(name, (error) => (error === undefined ? resolve() : reject(error)));
        }),
    );
  }

  async end(name: string, error?: Error): Promise<void> {
    this.#ends.get(name)?.(error);
    await turnOfEvents();
  }
}

describe("SharedBatches", () => {
  it("begins the next steps together, when all steps of the batch have ended", async () => {
    const steps = new Steps();
    const first = steps.add("a1");
    void steps.add("b1");
    void steps.add("c1");
    expect(steps.begun).toEqual(["a1"]);
    await Promise.all([first.then(() => void steps.add("a2")), steps.end("a1")]);
    expect(steps.begun).toEqual(["a1", "b1", "c1", "a2"]);
    void steps.add("d1");
    await steps.end("b1");
    await steps.end("a2");
    expect(steps.begun).not.toContain("d1");
    await steps.end("c1");
    expect(steps.begun).toContain("d1");
  });

  it("begins one step after the other if the jobs take turns", async () => {
    const sharing = new BatchSharing();
    sharing.jobsInBatch = () => 1;
    const steps = new Steps(sharing);
    const first = steps.add("a1");
    void steps.add("b1");
    void steps.add("c1");
    await Promise.all([first.then(() => void steps.add("a2")), steps.end("a1")]);
    expect(steps.begun).toEqual(["a1", "b1"]);
    for (const name of ["b1", "c1"]) await steps.end(name);
    expect(steps.begun).toEqual(["a1", "b1", "c1", "a2"]);
  });

  it("holds nobody up after a step that failed", async () => {
    const steps = new Steps();
    const failing = steps.add("a");
    const refused = expect(failing).rejects.toThrow("no memory");
    void steps.add("b");
    await steps.end("a", new Error("no memory"));
    await refused;
    expect(steps.begun).toEqual(["a", "b"]);
  });

  it("begins no step of a job that was aborted while it waited, and closes its generator", async () => {
    const steps = new Steps();
    const abort = new AbortController();
    let closed = false;
    async function* numbers(): AsyncGenerator<number> {
      try {
        for (let next = 1; ; next += 1) yield await Promise.resolve(next);
      } finally {
        closed = true;
      }
    }
    const got: number[] = [];
    for await (const number of steps.batches.each(numbers(), abort.signal)) {
      got.push(number);
      void steps.add("other");
      abort.abort();
      void steps.end("other");
    }
    expect([got, closed]).toEqual([[1], true]);
  });
});

/** The private part of the library's context that fills llama.cpp's batches. */
type Inner = { initBatch(tokens: number): unknown };

/** A context with some sequences, and the sizes of its batches from now on. */
async function openContext(count: number): Promise<{
  readonly sequences: readonly LlamaContextSequence[];
  readonly sizes: readonly number[];
  /** Writes thirty tokens, and calls back after each. */
  readonly write: (sequence: LlamaContextSequence, onToken?: () => void) => Promise<void>;
  readonly batches: SharedBatches;
}> {
  const model = await demoModel();
  const load = await new ModelSlot(new Libraries()).load(model, planOf(model, { sequences: count }), never);
  if (load.kind !== "loaded") throw new Error(load.kind);
  const { batches, sequences: pool, model: file } = load.loaded;
  const tokens = file.tokenize("Once upon a time");
  const sequences: LlamaContextSequence[] = [];
  for (let index = 0; index < count; index += 1) sequences.push((await pool.lend(tokens)).sequence);
  const context = sequences[0]?.context as unknown as { _ctx: Inner };
  const sizes: number[] = [];
  context._ctx = new Proxy(context._ctx, {
    get: (inner, name) => {
      const member: unknown = Reflect.get(inner, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        if (name === "initBatch") sizes.push(Number(args[0]));
        return Reflect.apply(member, inner, args);
      };
    },
  });
  const write = async (
    sequence: LlamaContextSequence,
    onToken: () => void = () => undefined,
  ): Promise<void> => {
    let written = 0;
    const steps = sequence.evaluate([...tokens], { temperature: 0, yieldEogToken: true });
    for await (const _token of batches.each(steps, never)) {
      onToken();
      if ((written += 1) === 30) return;
    }
  };
  return { sequences, sizes, write, batches };
}

it("puts the tokens of all jobs into each batch of the library", async () => {
  const { sequences, sizes, write } = await openContext(3);
  await Promise.all(sequences.map((sequence) => write(sequence)));
  expect(sizes.filter((size) => size === 3).length).toBeGreaterThanOrEqual(28);
  expect(sizes.filter((size) => size < 3).length).toBeLessThanOrEqual(2);
});

it("clears a sequence while other jobs write", async () => {
  const { sequences, write, batches } = await openContext(3);
  const [cleared, ...others] = sequences;
  let written = 0;
  let clearedAfter = Infinity;
  const clear = async (): Promise<void> => {
    await batches.step(async () => await cleared?.clearHistory());
    clearedAfter = written;
  };
  const onToken = (): void => {
    written += 1;
    if (written === 10) void clear();
  };
  await Promise.all(others.map((sequence) => write(sequence, onToken)));
  expect(clearedAfter).toBeLessThan(20);
});
