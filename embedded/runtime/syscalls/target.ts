import { parseFunctionHandle, parseFunctionPath, shortPathOf } from "../function-path.ts";
import type { RegisteredFunction } from "../registered-function.ts";
import type { Services } from "../services.ts";
import { SyscallError } from "../syscall-error.ts";
import { optionalStringArg, type SyscallArgs } from "./syscall-args.ts";

/** The function that a call names, by path or by handle. Components are not in the embedded backend yet. */
export function targetOf(
  services: Services,
  args: SyscallArgs,
  method: string,
  type: RegisteredFunction["type"] | null = null,
): RegisteredFunction {
  const reference = optionalStringArg(args, "reference", method);
  if (reference !== null) {
    throw new SyscallError(`Components are not in the embedded backend yet: ${reference}`);
  }
  const handle = optionalStringArg(args, "functionHandle", method);
  const name = optionalStringArg(args, "name", method) ?? "";
  const path = handle === null ? parseFunctionPath(name) : parseFunctionHandle(handle);
  const target = path === null ? null : services.find(path);
  if (path === null || target === null) {
    const shown = path === null ? (handle ?? name) : shortPathOf(path);
    throw new SyscallError(
      `Couldn't find a function "${shown}" for \`${method}\`. Did you forget to export it?`,
    );
  }
  if (type !== null && target.type !== type) throw new SyscallError(wrongType(target, type));
  return target;
}

/** Convex's words for calling, say, a mutation as a query. */
export function wrongType(target: RegisteredFunction, expected: RegisteredFunction["type"]): string {
  return `Trying to execute ${target.identifier} as ${expected}, but it is defined as ${target.type}.`;
}
