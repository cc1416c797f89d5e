import { limits } from "../checks/limits.ts";
import type { NodeBundle } from "../source/bundled-script.ts";
import { NodeProcess } from "./node-process.ts";
import type { Analysis, NodeOutcome, NodeRun } from "./node-run.ts";

/** Processes to run actions at the same time. With more actions, they share processes, so that none waits for another. */
const maxProcesses = 4;
/** The same with those whose code lets nothing else run. */
const maxWithBlocked = 2 * maxProcesses;
const defaultIdleMs = 30_000;
const defaultPingEveryMs = 1_000;
const analysisMs = 60_000;

type Variables = { readonly [name: string]: string };

export type NodeActionsOptions = {
  readonly bundle: NodeBundle;
  /** The app's `process.env`. After a change, later actions run in new processes. */
  readonly env: () => Variables;
  /** Time without an action after which a process ends, in ms. */
  readonly idleMs?: number;
  /** Longest time of an action, in ms. */
  readonly actionTimeMs?: number;
  readonly pingEveryMs?: number;
};

/** The same as for an action that the end of the backend has interrupted. */
const stopped = "Transient error while executing action";

/**
 * Runs the actions of "use node" modules in separate processes. A process starts with the first action that needs it, serves
 * later ones as well, and ends when it was idle for a while.
 */
export class NodeActions {
  readonly #options: NodeActionsOptions;
  readonly #processes = new Set<NodeProcess>();
  #variables = "";
  #isClosed = false;

  constructor(options: NodeActionsOptions) {
    this.#options = options;
  }

  /** Reads what the modules define, in a process that ends afterward. */
  async analyze(): Promise<Analysis> {
    const child = this.#start(this.#options.env());
    const timer = setTimeout(() => child.kill("The modules take too long to load."), analysisMs);
    const analysis = await child.analyze();
    clearTimeout(timer);
    child.kill();
    return analysis;
  }

  async run(call: NodeRun): Promise<NodeOutcome> {
    if (this.#isClosed || call.signal.aborted) return { kind: "ended", message: stopped };
    let child: NodeProcess;
    try {
      child = this.#processFor(this.#options.env());
    } catch (error) {
      return { kind: "ended", message: `The Node.js process did not start: ${(error as Error).message}` };
    }
    return child.run(call);
  }

  /** Ends the processes when their actions have ended. */
  retire(): void {
    for (const child of this.#processes) child.retire();
  }

  /** Ends all processes and the actions that they run. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const processes = [...this.#processes];
    for (const child of processes) child.kill(stopped);
    await Promise.all(processes.map(({ ended }) => ended));
  }

  #processFor(env: Variables): NodeProcess {
    // Modules may have read the variables when they were loaded.
    const variables = JSON.stringify(env);
    if (variables !== this.#variables) this.retire();
    this.#variables = variables;
    const open = [...this.#processes].filter(({ isRetired }) => !isRetired);
    const responsive = open.filter(({ isResponsive }) => isResponsive);
    const [leastBusy] = (responsive.length === 0 ? open : responsive).sort((a, b) => a.size - b.size);
    const mayStart = responsive.length < maxProcesses && open.length < maxWithBlocked;
    if (leastBusy === undefined || (leastBusy.size > 0 && mayStart)) return this.#start(env);
    return leastBusy;
  }

  #start(env: Variables): NodeProcess {
    const child = new NodeProcess({
      bundle: this.#options.bundle,
      env,
      idleMs: this.#options.idleMs ?? defaultIdleMs,
      actionTimeMs: this.#options.actionTimeMs ?? limits.nodeActionTimeMs,
      pingEveryMs: this.#options.pingEveryMs ?? defaultPingEveryMs,
    });
    this.#processes.add(child);
    void child.ended.then(() => this.#processes.delete(child));
    return child;
  }
}
