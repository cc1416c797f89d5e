import { executions } from "../execution/execution.ts";
import { framesHere } from "../execution/uncaught.ts";
import { createLogConsole } from "./log-console.ts";

/** The functions' console: lines go to the call's log, never to this process's output. */
export const isolateConsole = createLogConsole(() => executions.getStore()?.context, framesHere);
