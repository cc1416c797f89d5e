import type { ConvexGlobal } from "../contract/convex-global.ts";
import { type ActionExecution, type Execution, executions, isTransactional } from "../execution/execution.ts";
import { beginOperation } from "../execution/operations.ts";
import { SyscallError } from "../execution/syscall-error.ts";
import { dispatchAsync, dispatchSync, endedError } from "./dispatch.ts";
import type { Services } from "./services.ts";
import { getBlob, storeBlob } from "./storage.ts";
import { parseSyscallArgs } from "./syscall-args.ts";

type JsArgs = { readonly [name: string]: unknown };

type JsSyscall = (services: Services, execution: ActionExecution, args: JsArgs) => Promise<unknown>;

/** Syscalls of actions whose arguments and results are not only JSON. */
const jsSyscalls: ReadonlyMap<string, JsSyscall> = new Map<string, JsSyscall>([
  ["storage/storeBlob", storeBlob],
  ["storage/getBlob", getBlob],
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
      try {
        beginOperation(execution);
        try {
          const args = parseSyscallArgs(op, argsJson);
          return JSON.stringify(await dispatchAsync(services(), execution, op, args));
        } finally {
          execution.operations -= 1;
        }
      } finally {
        execution.time.start();
      }
    },
    jsSyscall: (op, args) => {
      const execution = current();
      const syscall = jsSyscalls.get(op);
      if (syscall === undefined || isTransactional(execution)) {
        throw new SyscallError(`Unknown JS operation ${op}`);
      }
      return syscall(services(), execution, args as JsArgs);
    },
  };
}

function current(): Execution {
  const execution = executions.getStore();
  if (execution === undefined || execution.loading) throw new SyscallError(loadingMessage);
  if (execution.ended) throw endedError();
  return execution;
}
