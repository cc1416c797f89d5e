import type { Engine } from "../engine/model/types.ts";
import type { Completed, FunctionCall, FunctionRunner } from "../runtime/contract/function-runner.ts";
import { nothingRead, refusedRun } from "../runtime/function-runtime.ts";

/** Why the functions cannot run; null if they can. */
type Waiting = { readonly problem: string | null };

/** Answers calls with the reason while the functions are not loaded. */
export function unlessWaiting(
  runner: FunctionRunner,
  waiting: Waiting,
  engine: Pick<Engine, "durable">,
): FunctionRunner {
  const guarded = <Call extends FunctionCall, Run extends Completed>(
    run: (call: Call) => Promise<Run>,
    refused: (completed: Completed) => Run,
  ) => {
    return (call: Call): Promise<Run> =>
      waiting.problem === null
        ? run(call)
        : Promise.resolve(refused(refusedRun(call.requestId, waiting.problem)));
  };
  return {
    runQuery: guarded(
      (call: Parameters<FunctionRunner["runQuery"]>[0]) => runner.runQuery(call),
      (completed) => ({ ...completed, ...nothingRead(engine.durable()) }),
    ),
    runMutation: guarded(
      (call: FunctionCall) => runner.runMutation(call),
      (completed) => ({ ...completed, ts: engine.durable() }),
    ),
    runAction: guarded(
      (call: FunctionCall) => runner.runAction(call),
      (completed) => completed,
    ),
    runAny: guarded(
      (call: FunctionCall) => runner.runAny(call),
      (completed) => completed,
    ),
    runHttp: (request, caller) =>
      waiting.problem === null
        ? runner.runHttp(request, caller)
        : Promise.resolve(unavailable(waiting.problem)),
    functionSpecs: (component) => runner.functionSpecs(component),
  };
}

function unavailable(message: string): Response {
  return Response.json(
    { code: "FunctionsNotLoaded", message },
    { status: 503, headers: { "Retry-After": "2" } },
  );
}
