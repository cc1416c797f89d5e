import { createRequire } from "node:module";
import { Socket } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { createLogConsole } from "../../isolate/log-console.ts";
import { nodeFileOf, nodeScriptPrefix } from "../../source/bundled-script.ts";
import { JsonLines, pipeOfProcess } from "../json-lines.ts";
import type { FromProcess, ToProcess } from "../messages.ts";
import { removeModulesNow } from "../modules-folder.ts";
import { analyzeModules } from "./analyze.ts";
import { createConvexGlobal } from "./convex-global.ts";
import { Runs } from "./runs.ts";

/*
 * The program of a process that runs "use node" actions for the backend. It ends with the backend.
 */

type Begin = Extract<ToProcess, { kind: "begin" }>;
type Namespace = { readonly [name: string]: unknown };

const pipe = new Socket({ fd: pipeOfProcess });
const lines = new JsonLines(pipe, {
  onMessage: (message) => handle(message as ToProcess),
  onFault: () => process.exit(1),
});
let handle = (message: ToProcess): void => {
  if (message.kind === "begin") handle = begin(message);
};

/** Prepares the process. Returns what handles all later messages. */
function begin({ folder, modules, env }: Begin): (message: ToProcess) => void {
  endWithBackend(folder);
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
  const base = `${pathToFileURL(folder).href}/`;
  const send = (message: FromProcess): void => lines.send(message);
  const runs = new Runs(send, (stack) => stack.replaceAll(base, nodeScriptPrefix));
  const files = new Map(modules.map((module, position) => [module, base + nodeFileOf(position)]));
  const load = async (module: string): Promise<Namespace> =>
    (await import(files.get(module) as string)) as Namespace;
  installGlobals(runs, folder);
  return (message) => {
    switch (message.kind) {
      case "analyze":
        void analyzeModules(modules, load, runs).then(send);
        return;
      case "run":
        void runs.start(message.run, message.args, async () => {
          const exported = (await load(message.module))[message.name];
          const { invokeAction } = exported as {
            invokeAction: (id: string, args: string) => Promise<string>;
          };
          return invokeAction;
        });
        return;
      case "answer":
      case "refusal":
        runs.settle(message);
        return;
      case "ping":
        send({ kind: "pong", memoryBytes: process.memoryUsage.rss() });
        return;
      case "begin":
    }
  };
}

function endWithBackend(folder: string): void {
  pipe.once("close", () => {
    removeModulesNow(folder);
    process.exit();
  });
  // The backend decides when its processes end. A terminal signals all of them.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);
  new Worker(new URL("./watchdog.ts", import.meta.url), {
    workerData: { backend: process.ppid, folder },
    env: {},
  }).unref();
}

/** Only the backend has the source maps, so `console.trace` prints no frames. */
const noFrames = (): readonly string[] => [];

/** Sets the globals of Convex's Node.js runtime. Bundled CommonJS modules use those of a module. */
function installGlobals(runs: Runs, folder: string): void {
  const file = join(folder, nodeFileOf(0));
  const module = { exports: {} };
  Object.assign(globalThis, {
    Convex: createConvexGlobal(runs, folder),
    console: { ...console, ...createLogConsole(() => runs.present, noFrames) },
    require: createRequire(file),
    module,
    exports: module.exports,
    __filename: file,
    __dirname: folder,
  });
  const take = (thrown: unknown): void => {
    // If it may be an error of any of several actions, no other can be trusted to end well.
    if (!runs.takeUncaught(thrown)) process.exit(1);
  };
  process.on("uncaughtException", take);
  process.on("unhandledRejection", take);
}
