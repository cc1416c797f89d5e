import { executions, isTransactional } from "./execution.ts";
import { seededRandom } from "./isolate-crypto.ts";

/** The time that the running function sees, in ms: its transaction's own in queries and mutations. */
export function functionNow(): number {
  const execution = executions.getStore();
  return execution !== undefined && isTransactional(execution) ? execution.transaction.now : Date.now();
}

/** Replaces the clock and Math.random of a context. */
export function installDeterminism(
  context: { [name: string]: unknown },
  intrinsic: (name: string) => unknown,
): void {
  const RealDate = intrinsic("Date") as DateConstructor;
  const InnerDate = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [functionNow()] : args, newTarget) as object,
    apply: (target) => new target(functionNow()).toString(),
  });
  RealDate.now = functionNow;
  Object.defineProperty(RealDate.prototype, "constructor", { value: InnerDate });
  context["Date"] = InnerDate;
  (intrinsic("Math") as Math).random = () => seededRandom()?.number() ?? Math.random();
  context["performance"] = { now: performanceNow, timeOrigin: 0 };
}

function performanceNow(): number {
  const execution = executions.getStore();
  const isFixed = execution !== undefined && isTransactional(execution);
  return isFixed ? execution.transaction.now : performance.now();
}
