// burst.test.ts preloads this file into a backend's process (`--import`). Its first part runs in the test's own process.
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import { returnMemory } from "../../packages/embedded/runtime/execution/memory/collect-garbage.ts";

const variable = "TEST_CENSUS";
const signal = "SIGUSR2";
const lookMs = 20;

/** What a process holds after a collection. */
export type Census = {
  /** Global objects, also of realms that nothing uses anymore. */
  readonly realms: number;
  readonly timers: number;
  readonly sockets: number;
  readonly heapMib: number;
};

/** Counts what a process holds. Add `env` to its environment. */
export function createCensus() {
  const folder = mkdtempSync(join(tmpdir(), "census-"));
  const file = join(folder, "census.json");
  return {
    env: { [variable]: file, NODE_OPTIONS: `--import=${import.meta.url}` },
    take: async (kill: (signal: NodeJS.Signals) => boolean): Promise<Census> => {
      rmSync(file, { force: true });
      kill(signal);
      while (!existsSync(file)) await sleep(lookMs);
      return JSON.parse(readFileSync(file, "utf8")) as Census;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function answer(file: string): void {
  returnMemory();
  const resources = process.getActiveResourcesInfo();
  const { number_of_native_contexts: realms, used_heap_size: heapBytes } = getHeapStatistics();
  const census: Census = {
    realms,
    timers: resources.filter((name) => name === "Timeout").length,
    sockets: resources.filter((name) => name.startsWith("TCPSocket") || name.startsWith("HTTPIncoming"))
      .length,
    heapMib: Math.round(heapBytes / 1024 ** 2),
  };
  writeFileSync(`${file}.new`, JSON.stringify(census));
  renameSync(`${file}.new`, file);
}

const file = process.env[variable];
if (file !== undefined) process.on(signal, () => setImmediate(() => answer(file)));
