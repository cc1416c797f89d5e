import { parentPort } from "node:worker_threads";
import type { Outcome } from "../engine/measures.ts";
import { simulate } from "../engine/simulate.ts";
import { policies } from "../policies/all.ts";
import { variants } from "../policies/variants.ts";
import { drawTrace, type Load, type ScenarioName } from "../scenarios/trace.ts";

export type Task = { readonly policy: string; readonly scenario: ScenarioName; readonly load: Load };
export type Answer = Outcome;

/** The limit of events per job. Policies with herds would take hours to simulate. */
const eventsPerJob = 40;
const fewestEvents = 200_000;

parentPort?.on("message", ({ policy: name, scenario, load }: Task) => {
  const policy = [...policies, ...Object.values(variants).flat()].find((known) => known.name === name);
  if (policy === undefined) throw new Error(`No policy is called ${name}.`);
  const mostEvents = Math.max(fewestEvents, eventsPerJob * load.jobs);
  const outcome = simulate(policy, drawTrace(scenario, load), mostEvents);
  parentPort?.postMessage(outcome, [outcome.waits.buffer as ArrayBuffer]);
});
