import { SyscallError } from "../syscall-error.ts";

/** All of `ctx.storage`. */
export function storageUnavailable(): never {
  throw new SyscallError("File storage (ctx.storage) is not in the embedded backend yet.");
}
