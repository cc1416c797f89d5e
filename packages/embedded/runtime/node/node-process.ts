import { type ChildProcess, spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { limits } from "../checks/limits.ts";
import { SyscallError } from "../execution/syscall-error.ts";
import type { NodeBundle } from "../source/bundled-script.ts";
import { JsonLines, pipeOfProcess } from "./json-lines.ts";
import { type FromProcess, fromProcess, type ToProcess } from "./messages.ts";
import { removeModules, writeModules } from "./modules-folder.ts";
import type { Analysis, NodeOutcome, NodeRun } from "./node-run.ts";

const processFile = fileURLToPath(new URL("./process/main.ts", import.meta.url));

/** Variables of the backend's environment that Convex's Node.js actions see as well. */
const passedOn = ["PATH", "LANG", "TZ"];

/** Memory of a process with its buffers, beyond the heap that V8 limits. */
const maxMemoryBytes = 2 * limits.nodeMemoryMib * 1024 ** 2;
/** Unanswered pings after which a process gets no more actions, and after which it is ended if it has several. */
const silentAfter = 2;
const endedAfter = 30;
const maxErrorOutput = 8_192;
/** Time for the last messages and the last output of a process that has ended. */
const lastWordsMs = 500;

const outOfMemory = `Node.js action execution ran out of memory (maximum memory usage: ${limits.nodeMemoryMib} MB)`;
const unresponsive =
  "Function execution unexpectedly timed out. Check your function for infinite loops or other long-running operations.";

const notUnderstood = "The Node.js process sent a message that the backend does not understand.";

export type NodeProcessOptions = {
  readonly bundle: NodeBundle;
  readonly env: { readonly [name: string]: string };
  /** Longest time of an action, in ms. */
  readonly actionTimeMs: number;
  /** Time without an action after which the process ends, in ms. */
  readonly idleMs: number;
  readonly pingEveryMs: number;
};

type PendingRun = NodeRun & { readonly settle: (outcome: NodeOutcome) => void };

/** A process that runs "use node" actions. Its end fails the actions that it runs, and nothing else. */
export class NodeProcess {
  readonly #options: NodeProcessOptions;
  readonly #child: ChildProcess;
  readonly #lines: JsonLines | null;
  readonly #runs = new Map<string, PendingRun>();
  #analysis: ((analysis: Analysis) => void) | null = null;
  #nextRun = 0;
  #unansweredPings = 0;
  #pings: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isRetired = false;
  #errorOutput = "";
  #endReason: string | null = null;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;

  /** Throws if the bundle's files cannot be written. */
  constructor(options: NodeProcessOptions) {
    this.#options = options;
    const { bundle, env } = options;
    const folder = writeModules(bundle);
    const own = pick(process.env, passedOn);
    this.#child = spawn(process.execPath, [`--max-old-space-size=${limits.nodeMemoryMib}`, processFile], {
      cwd: folder,
      // The deployment's variables follow in a message. Some would change how Node starts.
      env: own,
      stdio: ["ignore", "ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    this.ended = this.#end(folder);
    const pipe = (this.#child.stdio as ChildProcess["stdio"] | undefined)?.[pipeOfProcess];
    // Without free file descriptors there is no pipe. The process does not start then.
    this.#lines = pipe == null ? null : new JsonLines(pipe as Duplex, this.#handlers);
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(-maxErrorOutput);
    });
    this.#send({ kind: "begin", folder, modules: bundle.modules, env: { ...own, ...env } });
  }

  /** Number of actions that it runs. */
  get size(): number {
    return this.#runs.size;
  }

  /** Whether it gets no more actions. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Whether its code lets others run. */
  get isResponsive(): boolean {
    return this.#unansweredPings < silentAfter;
  }

  /** Evaluates all modules, to read what they define. */
  analyze(): Promise<Analysis> {
    return new Promise((resolve) => {
      this.#analysis = resolve;
      this.#send({ kind: "analyze" });
    });
  }

  run(call: NodeRun): Promise<NodeOutcome> {
    const { module, name, args, signal } = call;
    const run = String(this.#nextRun++);
    const timeMs = this.#options.actionTimeMs;
    clearTimeout(this.#idle);
    return new Promise((resolve) => {
      const stop = (message: string): void => {
        // Its code cannot be stopped, except with its process.
        this.retire();
        this.#settle(run, { kind: "ended", message });
      };
      const timer = setTimeout(() => {
        stop(`Action \`${name}\` execution timed out (maximum duration ${timeMs / 1_000}s)`);
      }, timeMs);
      const abandon = (): void => stop(endedMessage);
      signal.addEventListener("abort", abandon, { once: true });
      const settle = (outcome: NodeOutcome): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", abandon);
        resolve(outcome);
      };
      this.#runs.set(run, { ...call, settle });
      this.#pings ??= setInterval(() => this.#ping(), this.#options.pingEveryMs);
      this.#send({ kind: "run", run, module, name, args });
    });
  }

  /** Gives the process no more actions, and ends it after the last one. */
  retire(): void {
    this.#isRetired = true;
    if (this.#runs.size === 0) this.kill();
  }

  /** Ends the process at once. `reason` is the message for those who called the actions that it runs. */
  kill(reason: string | null = null): void {
    this.#isRetired = true;
    this.#endReason ??= reason;
    this.#child.kill("SIGKILL");
  }

  readonly #handlers = {
    onMessage: (message: unknown): void => {
      const parsed = fromProcess.safeParse(message);
      if (parsed.success) this.#handle(parsed.data);
      else this.kill(notUnderstood);
    },
    onFault: (): void => this.kill(notUnderstood),
  };

  #handle(message: FromProcess): void {
    switch (message.kind) {
      case "analyzed":
      case "broken":
        this.#analysis?.(message);
        return;
      case "log":
        this.#runs.get(message.run)?.log(message.line);
        return;
      case "syscall":
        void this.#answer(message);
        return;
      case "returned":
        this.#settle(message.run, message);
        return;
      case "threw":
        // An error that nothing has caught may have left the process's modules in any state.
        if (message.isUncaught) this.#isRetired = true;
        this.#settle(message.run, message);
        return;
      case "pong":
        this.#unansweredPings = 0;
        if (message.memoryBytes > maxMemoryBytes) this.kill(outOfMemory);
    }
  }

  async #answer({ run, call, op, args }: Extract<FromProcess, { kind: "syscall" }>): Promise<void> {
    try {
      const pending = this.#runs.get(run);
      if (pending === undefined) throw new SyscallError(endedMessage);
      this.#send({ kind: "answer", call, json: await pending.answer(op, args) });
    } catch (error) {
      const { message, data } = error as SyscallError;
      this.#send({ kind: "refusal", call, message, ...(data === undefined ? {} : { data }) });
    }
  }

  #settle(run: string, outcome: NodeOutcome): void {
    const pending = this.#runs.get(run);
    if (pending === undefined) return;
    this.#runs.delete(run);
    pending.settle(outcome);
    if (this.#runs.size > 0) return;
    clearInterval(this.#pings);
    this.#pings = undefined;
    this.#unansweredPings = 0;
    if (this.#isRetired) this.kill();
    else this.#idle = setTimeout(() => this.kill(), this.#options.idleMs);
  }

  #ping(): void {
    this.#unansweredPings += 1;
    if (this.#unansweredPings > endedAfter && this.#runs.size > 1) this.kill(unresponsive);
    else this.#send({ kind: "ping" });
  }

  #send(message: ToProcess): void {
    this.#lines?.send(message);
  }

  /** Waits for the end of the process, and fails what it has not finished. */
  async #end(folder: string): Promise<void> {
    const message = await new Promise<string>((resolve) => {
      const tell = (code: number | null, signal: NodeJS.Signals | null): void =>
        resolve(this.#describeEnd(code, signal));
      // It comes after the last message and the last output, if no process of the action has inherited that.
      this.#child.once("close", tell);
      this.#child.once("exit", (code, signal) => setTimeout(() => tell(code, signal), lastWordsMs));
      this.#child.once("error", (error) => resolve(`The Node.js process did not start: ${error.message}`));
    });
    this.#isRetired = true;
    clearTimeout(this.#idle);
    this.#analysis?.({ kind: "ended", message });
    for (const run of this.#runs.keys()) this.#settle(run, { kind: "ended", message });
    await removeModules(folder);
  }

  #describeEnd(code: number | null, signal: NodeJS.Signals | null): string {
    if (this.#endReason !== null) return this.#endReason;
    if (this.#errorOutput.includes("heap out of memory")) return outOfMemory;
    const how = signal === null ? `exit code ${String(code)}` : `signal ${signal}`;
    return `The Node.js process ended while it ran the action (${how}).`;
  }
}

const endedMessage = "The function has ended already. Did you forget to await a promise?";

function pick(from: NodeJS.ProcessEnv, names: readonly string[]): { readonly [name: string]: string } {
  const set = names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]] as const]));
  return Object.fromEntries(set);
}
