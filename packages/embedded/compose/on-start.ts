import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Log } from "../operations/log.ts";
import type { FunctionRunner } from "../runtime/contract/function-runner.ts";

/**
 * Runs mutations of the app before the backend answers anybody. Each runs again as long as it returns true, so it can do its
 * work in small transactions. One that fails is logged, and the backend starts without it.
 * @param names such as `file:function`.
 */
export async function runOnStart(
  names: readonly string[],
  runner: Pick<FunctionRunner, "runMutation">,
  log: Log,
): Promise<void> {
  for (const path of names) {
    let again = true;
    while (again) {
      const identity = { kind: "admin" } as const;
      const { outcome } = await runner.runMutation({ path, args: {}, identity, requestId: randomUUID() });
      again = outcome.kind !== "failure" && outcome.value === true;
      if (outcome.kind === "failure") log.error("start.mutation-failed", { path, message: outcome.message });
      await setImmediate();
    }
  }
}
