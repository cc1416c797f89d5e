import childProcess from "node:child_process";
import { EventEmitter } from "node:events";
import { syncBuiltinESMExports } from "node:module";

/**
 * node-llama-cpp starts a process that loads each of its builds for a test, since a build that does not suit the machine
 * may end its process. A runner is such a process itself, and it may start no others. So the test's process is played
 * here: it says at once that all is well. If it is not, the runner ends, and the donor uses the CPU for that model.
 * It also saves a third of a second at each start. Call it before node-llama-cpp is loaded.
 */
export function answerLibraryTest(): void {
  Object.assign(childProcess, { fork: () => new PassedTest() });
  syncBuiltinESMExports();
}

/** The library's protocol: "ready", then "start" → "loaded", "test" → "done", "exit" → the process's end. */
class PassedTest extends EventEmitter {
  readonly stdout = null;
  readonly stderr = null;
  readonly killed = false;
  exitCode: number | null = null;

  constructor() {
    super();
    this.#say("ready");
  }

  send({ type }: { readonly type: string }): void {
    if (type === "start") this.#say("loaded");
    if (type === "test") this.#say("done");
    if (type !== "exit") return;
    this.exitCode = 0;
    setImmediate(() => this.emit("exit", 0));
  }

  kill(): void {
    this.exitCode = 0;
  }

  #say(type: string): void {
    setImmediate(() => this.emit("message", { type }));
  }
}
