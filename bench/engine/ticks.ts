import { join } from "node:path";
import vm from "node:vm";
import { fuel, refuel } from "../../packages/embedded/runtime/execution/fuel.ts";
import { executionReserve } from "../../packages/embedded/runtime/native/reserve.ts";
import { buildModules, noMap } from "../../packages/embedded/runtime/source/bundle-script.ts";
import { type Ticks, ticksName } from "../../packages/embedded/runtime/source/bundled-script.ts";
import { withTicks } from "../../packages/embedded/runtime/source/loop-ticks.ts";
import { repetitions } from "../support/repetitions.ts";
import { median } from "../support/statistics.ts";
import type { programs } from "./programs.ts";

/** The processor time of programs with ticks, relative to that of the same programs without. */
export type TickPrices = { readonly [program: string]: number };

type Program = () => unknown;
type Evaluate = (ticks: Ticks) => typeof programs;

/** The clock of processor time may advance in steps of four milliseconds. */
const sampleMs = 250;
const warmUpMs = 400;
const programWithinMs = 3_000;

/** Measures both sides of each program by turns, so that the machine's speed matters little. */
export async function measureTicks(rounds: number): Promise<TickPrices> {
  const plain = await bundle();
  const scripts = [toScript(plain), toScript(withTicks(plain, noMap).code)] as const;
  const names = Object.keys(evaluate(scripts[0]));
  return Object.fromEntries(
    names.map((name) => {
      const [without, withThem] = scripts.map((script) => evaluate(script)[name] as Program);
      return [name, ratio(without as Program, withThem as Program, rounds)];
    }),
  );
}

/** Bundles the programs as functions are bundled. */
async function bundle(): Promise<string> {
  const root = import.meta.dirname;
  const [file] = await buildModules(root, [{ module: "programs", file: join(root, "programs.ts") }]);
  if (file === undefined) throw new Error("The programs have no code.");
  return file.source;
}

function toScript(code: string): vm.Script {
  const body = code.replace(/^export \{\s*programs\s*\};/m, "return programs;");
  return new vm.Script(`((${ticksName}) => {"use strict";${body}\n})`);
}

/** Each side of each program gets a realm of its own, since V8 optimizes code for its realm. */
function evaluate(script: vm.Script): typeof programs {
  const realm = vm.createContext({ TextEncoder, Uint8Array });
  return (script.runInContext(realm) as Evaluate)({
    fuel,
    refuel: () => refuel(() => true),
    reserve: executionReserve,
  });
}

function ratio(without: Program, withTicks: Program, rounds: number): number {
  if (without() !== withTicks()) throw new Error("A program has another result with ticks.");
  const startedAt = performance.now();
  let runs = 0;
  for (; performance.now() < startedAt + warmUpMs; runs += 1) {
    without();
    withTicks();
  }
  const perSample = Math.max(1, Math.round((runs * sampleMs * 2) / warmUpMs));
  const ratios = Array.from(repetitions(rounds, programWithinMs), () => {
    const plainMs = processorMs(without, perSample);
    return processorMs(withTicks, perSample) / plainMs;
  });
  return median(ratios);
}

/** The processor time of the main thread, as functions' limits count it. */
function processorMs(program: Program, times: number): number {
  const before = process.threadCpuUsage();
  for (let run = 0; run < times; run += 1) program();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
