import { executions, type Execution } from "../execution.ts";
import type { Services } from "../services.ts";
import { SyscallError } from "../syscall-error.ts";
import { dispatchAsync, dispatchSync, endedError } from "./dispatch.ts";
import { parseSyscallArgs } from "./syscall-args.ts";

/** The `Convex` global, through which the convex package reaches the backend. */
export type ConvexGlobal = {
  readonly syscall: (op: string, argsJson: string) => string;
  readonly asyncSyscall: (op: string, argsJson: string) => Promise<string>;
  readonly jsSyscall: (op: string, args: unknown) => unknown;
};

/** Routes each syscall to the execution whose code makes it. The services exist once the bundle is loaded. */
export function createConvexGlobal(services: () => Services): ConvexGlobal {
  return {
    syscall: (op, argsJson) =>
      JSON.stringify(dispatchSync(services(), current(op), op, parseSyscallArgs(op, argsJson))),
    asyncSyscall: async (op, argsJson) =>
      JSON.stringify(await dispatchAsync(services(), current(op), op, parseSyscallArgs(op, argsJson))),
    jsSyscall: (op) => {
      const isStorage = op.startsWith("storage/");
      throw new SyscallError(
        isStorage
          ? "File storage (ctx.storage) is not in the embedded backend yet."
          : `Unknown JS operation ${op}`,
      );
    },
  };
}

function current(op: string): Execution {
  const execution = executions.getStore();
  if (execution === undefined) throw new SyscallError(`${op} was called while no function was running.`);
  if (execution.ended) throw endedError();
  return execution;
}
