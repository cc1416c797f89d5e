import type { JSONValue } from "convex/values";
import type { ConvexGlobal } from "../contract/convex-global.ts";
import { type ActionExecution, type Execution, executions, isTransactional } from "../execution/execution.ts";
import {
  beginOperation,
  countOperation,
  endOperation,
  isLeft,
  neverSettles,
  whileRunning,
} from "../execution/operations.ts";
import { endedError, SyscallError } from "../execution/syscall-error.ts";
import { dispatchAsync, dispatchSync } from "./dispatch.ts";
import type { Services } from "./services.ts";
import { getBlob, getBlobFile, storeBlob, storeBlobFile } from "./storage.ts";
import { parseSyscallArgs, type SyscallArgs } from "./syscall-args.ts";

type JsArgs = { readonly [name: string]: unknown };

type JsSyscall = (services: Services, execution: ActionExecution, args: JsArgs) => Promise<unknown>;

/** Syscalls of actions whose arguments and results are not only JSON. */
const jsSyscalls: ReadonlyMap<string, JsSyscall> = new Map<string, JsSyscall>([
  ["storage/storeBlob", storeBlob],
  ["storage/getBlob", getBlob],
]);

type NodeSyscall = (
  services: Services,
  execution: ActionExecution,
  args: SyscallArgs,
) => JSONValue | Promise<JSONValue>;

/** The same syscalls of an action in a Node process, where files take the place of Blobs. */
const nodeSyscalls: ReadonlyMap<string, NodeSyscall> = new Map<string, NodeSyscall>([
  ["storage/storeBlob", storeBlobFile],
  ["storage/getBlob", getBlobFile],
]);

const loadingMessage = "The database cannot be used while modules are loaded.";

/** Routes each syscall to the execution whose code makes it. */
export function createConvexGlobal(services: () => Services): ConvexGlobal {
  return {
    syscall: (op, argsJson) => {
      const execution = current();
      execution.time.check();
      return JSON.stringify(dispatchSync(services(), execution, op, argsJson));
    },
    asyncSyscall: async (op, argsJson) => {
      const execution = current();
      execution.time.check();
      reserveJson(execution, argsJson);
      try {
        // Not `countOperation`: a function of its own would take each call several more turns of the microtasks.
        beginOperation(execution, op);
        try {
          const args = parseSyscallArgs(op, argsJson);
          const json = JSON.stringify(await dispatchAsync(services(), execution, op, args));
          reserveJson(execution, json);
          return json;
        } finally {
          endOperation(execution, op);
        }
      } finally {
        execution.time.start();
        if (isLeft(execution)) await neverSettles();
      }
    },
    jsSyscall: (op, args) => {
      const execution = current();
      const syscall = jsSyscalls.get(op);
      if (syscall === undefined || isTransactional(execution)) {
        throw new SyscallError(`Unknown JS operation ${op}`);
      }
      const run = (): Promise<unknown> => syscall(services(), execution, args as JsArgs);
      return whileRunning(execution, countOperation(execution, op, run));
    },
  };
}

/** Runs a syscall of an action in a Node process. Resolves to its result as JSON. */
export function answerNodeProcess(
  services: Services,
  execution: ActionExecution,
  op: string,
  argsJson: string,
): Promise<string> {
  if (execution.ended) throw endedError();
  return countOperation(execution, op, async () => {
    const args = parseSyscallArgs(op, argsJson);
    const syscall = nodeSyscalls.get(op);
    const answer =
      syscall === undefined
        ? dispatchAsync(services, execution, op, args)
        : syscall(services, execution, args);
    return JSON.stringify(await answer);
  });
}

/** Shorter texts are found by ticks. */
const longJson = 2 ** 16;
/** A value and a text of it, per character. */
const bytesOfCharacter = 2;

/** No tick is reached between many calls that one function makes at once, whose arguments and results are long. */
function reserveJson({ time }: Execution, json: string): void {
  if (json.length > longJson) time.reserve({ buffers: 0, heap: bytesOfCharacter * json.length });
}

function current(): Execution {
  const execution = executions.getStore();
  if (execution === undefined || execution.loading) throw new SyscallError(loadingMessage);
  if (execution.ended) throw endedError();
  return execution;
}
