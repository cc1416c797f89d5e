import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Load, ScenarioName } from "../scenarios/trace.ts";
import { figuresOf, type PolicyFigures, type ScenarioOutcome } from "./figures-of.ts";
import type { Answer, Task } from "./worker.ts";

const mostWorkers = 4;

/** Runs every named policy on every scenario, on up to four threads. The order does not matter. */
export async function runAll(
  names: readonly string[],
  scenarios: readonly ScenarioName[],
  load: Load,
  say: (line: string) => void,
): Promise<{ readonly [name: string]: PolicyFigures }> {
  const tasks = scenarios.flatMap((scenario) => names.map((policy): Task => ({ policy, scenario, load })));
  const outcomes = new Map<string, ScenarioOutcome[]>(names.map((name) => [name, []]));
  const threads = Math.max(1, Math.min(mostWorkers, availableParallelism(), tasks.length));
  await Promise.all(
    Array.from({ length: threads }, async () => {
      const worker = new Worker(new URL("./worker.ts", import.meta.url));
      try {
        for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
          const outcome = await ask(worker, task);
          outcomes.get(task.policy)?.push({ scenario: task.scenario, outcome });
          const late = outcome.unstarted > 0 ? `, cut off with ${outcome.unstarted} jobs waiting` : "";
          say(`${task.scenario}, ${task.policy}: ${outcome.events} events${late}`);
        }
      } finally {
        await worker.terminate();
      }
    }),
  );
  return Object.fromEntries([...outcomes].map(([name, all]) => [name, figuresOf(all)]));
}

function ask(worker: Worker, task: Task): Promise<Answer> {
  return new Promise((resolve, reject) => {
    worker.once("message", (answer: Answer) => {
      worker.off("error", reject);
      resolve(answer);
    });
    worker.once("error", reject);
    worker.postMessage(task);
  });
}
