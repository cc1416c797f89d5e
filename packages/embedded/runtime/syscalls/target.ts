import {
  type FunctionPath,
  modulePathProblem,
  parseFunctionHandle,
  parseFunctionPath,
  shortPathOf,
} from "../../names/function-path.ts";
import { appComponent } from "../../names/table-name.ts";
import { childPath, childReference } from "../components/component-mounts.ts";
import type { RegisteredFunction } from "../contract/registered-function.ts";
import type { Execution } from "../execution/execution.ts";
import { SyscallError } from "../execution/syscall-error.ts";
import { couldNotFind, type Services } from "./services.ts";
import { invalidArg, optionalStringArg, type SyscallArgs } from "./syscall-args.ts";

/** Describes a function that the caller's own component does not have. The path is null if `shown` is none. */
type MissingMessage = (path: FunctionPath | null, shown: string, method: string) => string;

/**
 * Finds the function that a call names. A path names a function of the caller's component. A reference names a
 * public function of a component that is installed there. A handle names any function.
 */
export function targetOf(
  services: Services,
  { component }: Pick<Execution, "component">,
  args: SyscallArgs,
  method: string,
  type: RegisteredFunction["type"] | null = null,
  missing: MissingMessage = missingFunction,
): RegisteredFunction {
  const reference = optionalStringArg(args, "reference", method);
  const handle = optionalStringArg(args, "functionHandle", method);
  const name = optionalStringArg(args, "name", method) ?? "";
  const path =
    reference !== null
      ? parseReference(reference, component)
      : handle === null
        ? parseFunctionPath(name, component)
        : parseFunctionHandle(handle);
  const isNamed = reference === null && handle === null;
  const problem = isNamed && path !== null ? modulePathProblem(path.module) : null;
  if (problem !== null) throw invalidArg("name", method, problem);
  const target = path === null ? null : services.find(path);
  // A component's internal functions are hidden from others, as if they did not exist.
  if (path === null || target === null || (reference !== null && target.visibility === "internal")) {
    if (path === null || path.component === component) {
      throw new SyscallError(missing(path, reference ?? handle ?? name, method));
    }
    throw new SyscallError(missingInComponent(path, method));
  }
  if (type !== null && target.type !== type) throw new SyscallError(wrongType(target, type));
  return target;
}

/** Returns Convex's message for calling a function as the wrong type, such as a mutation as a query. */
export function wrongType(target: RegisteredFunction, expected: RegisteredFunction["type"]): string {
  return `Trying to execute ${target.identifier} as ${expected}, but it is defined as ${target.type}.`;
}

/** Parses "_reference/childComponent/pool/folder/module/name", a component's reference to a child's function. */
function parseReference(reference: string, parent: string): FunctionPath | null {
  if (!reference.startsWith(childReference)) return null;
  const [child, ...rest] = reference.slice(childReference.length).split("/");
  if (child === undefined || rest.length < 2) return null;
  return parseFunctionPath(`${rest.slice(0, -1).join("/")}:${rest.at(-1)}`, childPath(parent, child));
}

function missingFunction(path: FunctionPath | null, shown: string, method: string): string {
  if (path === null) return `"${shown}" is not the name of a function for \`${method}\`.`;
  const place = path.component === appComponent ? "" : ` in '${path.component}'`;
  return couldNotFind("public function", shortPathOf(path), place);
}

function missingInComponent(path: FunctionPath, method: string): string {
  return (
    `Couldn't find a public function "${shortPathOf(path)}" in the component "${path.component}" for ` +
    `\`${method}\`. Is the component installed in convex.config.ts?`
  );
}
