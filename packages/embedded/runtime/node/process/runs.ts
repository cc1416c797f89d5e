import { AsyncLocalStorage } from "node:async_hooks";
import { limits } from "../../checks/limits.ts";
import { LogLines } from "../../execution/log-lines.ts";
import { copyThrown, framesOf, maxCopiedText, type ThrownValue } from "../../execution/thrown-value.ts";
import type { FromProcess, ToProcess } from "../messages.ts";

/** A running action. */
type Run = {
  readonly id: string;
  readonly logs: LogLines;
  /** Number of pending syscalls. */
  calls: number;
  /** Fails the action with an error that nothing has caught. */
  readonly fail: (thrown: unknown) => void;
};

type Send = (message: FromProcess) => void;
type Action = (runId: string, args: string) => Promise<string>;

/** The error of a refused syscall. The convex package rethrows it inside of the action. */
class Refusal extends Error {
  readonly data?: unknown;

  constructor(message: string, data?: unknown) {
    super(message);
    if (data !== undefined) this.data = data;
  }
}

/** The actions that run in this process, and their syscalls. */
export class Runs {
  readonly #send: Send;
  readonly #scriptOf: (stack: string) => string;
  readonly #byId = new Map<string, Run>();
  readonly #present = new AsyncLocalStorage<Run>();
  readonly #calls = new Map<number, { resolve: (json: string) => void; reject: (error: Error) => void }>();
  #nextCall = 0;

  /** @param scriptOf replaces this process's file names in a stack by those that the backend knows. */
  constructor(send: Send, scriptOf: (stack: string) => string) {
    this.#send = send;
    this.#scriptOf = scriptOf;
  }

  /** The run whose code runs now. */
  get present(): Run | undefined {
    return this.#present.getStore();
  }

  /** Runs an action, and sends its outcome. */
  async start(id: string, args: string, find: () => Promise<Action>): Promise<void> {
    const logs = new LogLines((line) => this.#send({ kind: "log", run: id, line }));
    const uncaught = Promise.withResolvers<unknown>();
    const run: Run = { id, logs, calls: 0, fail: uncaught.resolve };
    this.#byId.set(id, run);
    const returned = this.#present.run(run, async (): Promise<FromProcess> => {
      try {
        return { kind: "returned", run: id, json: await (await find())(id, args) };
      } catch (thrown) {
        return this.#threw(id, thrown, false);
      }
    });
    const failed = uncaught.promise.then((thrown) => this.#threw(id, thrown, true));
    const outcome = await Promise.race([returned, failed]);
    this.#byId.delete(id);
    this.#send(outcome);
  }

  /** Makes a syscall for the action whose code runs now. */
  async call(op: string, args: { readonly [name: string]: unknown }): Promise<string> {
    const run = this.#runOf(args);
    if (run === undefined) throw new Error("Convex's functions cannot be used while modules are loaded.");
    if (run.calls >= limits.concurrentOperations) {
      throw new Error(
        `Too many concurrent operations in a single function execution (limit: ${limits.concurrentOperations}).`,
      );
    }
    const call = this.#nextCall++;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.#calls.set(call, { resolve, reject });
    run.calls += 1;
    this.#send({ kind: "syscall", run: run.id, call, op, args: JSON.stringify(args) });
    return promise.finally(() => {
      run.calls -= 1;
    });
  }

  /** Takes the backend's answer to a syscall. */
  settle(message: Extract<ToProcess, { kind: "answer" | "refusal" }>): void {
    const pending = this.#calls.get(message.call);
    this.#calls.delete(message.call);
    if (message.kind === "answer") pending?.resolve(message.json);
    else pending?.reject(new Refusal(message.message, message.data));
  }

  /** Takes an error that nothing has caught. False if it may be any action's. */
  takeUncaught(thrown: unknown): boolean {
    // A microtask has no run in some versions of Node.
    const run = this.present ?? (this.#byId.size === 1 ? [...this.#byId.values()][0] : undefined);
    run?.fail(thrown);
    return run !== undefined;
  }

  copy(thrown: unknown): ThrownValue {
    const copy = copyThrown(thrown);
    if (copy.kind === "value") return { kind: "value", text: copy.text.slice(0, maxCopiedText) };
    const message = copy.message.slice(0, maxCopiedText);
    const frames = this.#scriptOf(framesOf(copy)).slice(0, maxCopiedText);
    return { ...copy, name: copy.name.slice(0, maxCopiedText), message, stack: message + frames };
  }

  #threw(run: string, thrown: unknown, isUncaught: boolean): FromProcess {
    return { kind: "threw", run, thrown: this.copy(thrown), isUncaught };
  }

  /** The convex package passes on the run's id. A connection that several runs use may call back in another one's context. */
  #runOf({ requestId }: { readonly [name: string]: unknown }): Run | undefined {
    return (typeof requestId === "string" ? this.#byId.get(requestId) : undefined) ?? this.present;
  }
}
