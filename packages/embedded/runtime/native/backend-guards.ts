import { getCallSites } from "node:util";
import { type Execution, executions } from "../execution/execution.ts";
import { fuel, refuel } from "../execution/fuel.ts";
import { currentTurn, hasComputed } from "../execution/turn-clock.ts";
import { scriptPrefix } from "../source/error-stacks.ts";
import { checkExecution } from "./ticks.ts";

type Method = (this: unknown, ...args: unknown[]) => unknown;

// TypeScript's library has no such value yet.
const iterators = Object.getPrototypeOf(Object.getPrototypeOf([].values())) as object;

/**
 * Built-in functions of the backend's realm that call a function with an object, or resolve a promise with one. A function can
 * reach them through what web APIs return. Each can be the `then` of an object: V8 then calls it again and again, and no other
 * code runs.
 */
const repeatable: readonly (readonly [owner: object, names: readonly string[]])[] = [
  [Promise, ["all", "allSettled", "any", "race", "resolve", "try"]],
  [Promise.prototype, ["then"]],
  [Array, ["from", "fromAsync"]],
  [
    Array.prototype,
    [
      ...["every", "filter", "find", "findIndex", "findLast", "findLastIndex", "flatMap", "forEach", "join"],
      ...["map", "reduce", "reduceRight", "some", "sort", "toLocaleString", "toSorted"],
    ],
  ],
  [Map, ["groupBy"]],
  [Object, ["groupBy"]],
  [Map.prototype, ["forEach"]],
  [Set.prototype, ["forEach"]],
  [
    iterators,
    [
      ...["drop", "every", "filter", "find", "flatMap", "forEach", "map", "reduce", "some", "take"],
      "toArray",
    ],
  ],
];

/** The thread computes for less in a turn of the event loop, in ms, unless a function keeps it busy. */
const longestTurnMs = 1_000;

/** The frames of `isBackendCalling`, `checkJob`, `refuel` and the guarded function. */
const ownFrames = 4;
/** It runs the jobs of promises. */
const jobRunner = "node:internal/process/task_queues";

let isGuarding = false;

/**
 * Lets functions be ended that make V8 call built-in functions of the backend's realm without end. Call it before their owners
 * are frozen. Calls that code of the backend or of Node makes do not fail. V8 also calls `then` for an async function of the backend
 * that returns a promise. Such a call looks like one of a function, so a function's calls fail only in a turn that is very long, and only
 * once it has spent its time after an earlier call in that turn.
 */
export function guardRepeatable(): void {
  if (isGuarding) return;
  isGuarding = true;
  for (const [owner, names] of repeatable) {
    for (const name of names) {
      const own = Reflect.get(owner, name) as Method | undefined;
      // `Promise.try` is missing before Node 24.
      if (own === undefined) continue;
      const value = guarded(name, own);
      Object.defineProperty(value, "length", { value: own.length });
      Object.defineProperty(owner, name, { value });
    }
  }
}

function guarded(name: string, own: Method): Method {
  const methods: Readonly<Record<string, Method>> = {
    [name](...args) {
      fuel[1] = (fuel[1] as number) + 1;
      if ((fuel[0] = (fuel[0] as number) - 1) < 0) refuel(checkJob);
      return Reflect.apply(own, this, args);
    },
  };
  return methods[name] as Method;
}

let seen = new WeakSet<Execution>();
let seenInTurn = currentTurn();

function checkJob(): boolean {
  if (!hasComputed(longestTurnMs) || isBackendCalling()) return false;
  const execution = executions.getStore();
  if (execution === undefined || isSeen(execution)) return checkExecution();
  // The backend itself may have taken the time until now.
  execution.time.start();
  return false;
}

/** Whether an execution was seen in the present turn of the event loop. Notes that it was. */
function isSeen(execution: Execution): boolean {
  if (seenInTurn !== currentTurn()) seen = new WeakSet();
  seenInTurn = currentTurn();
  const isKnown = seen.has(execution);
  seen.add(execution);
  return isKnown;
}

/** Whether code of the backend or of Node has called the guarded function. Otherwise V8 has, for a job, or a function's code. */
function isBackendCalling(): boolean {
  const caller = getCallSites(ownFrames + 1)[ownFrames]?.scriptName ?? jobRunner;
  return caller !== jobRunner && !caller.startsWith(scriptPrefix);
}
