import { existsSync } from "node:fs";
import { type Known, known, unknown } from "../../../app/facts/facts.ts";
import { systemProgram } from "../../system-programs.ts";
import type { OwnGpuUse } from "../base/own-use.ts";
import { runSubprocess } from "../base/subprocess.ts";
import { streamLines } from "../base/subprocess-stream.ts";
import { type GpuMeter, type GpuReading, isIntegrated, share } from "./gpu-meter.ts";

/** Seconds between two lines about a GPU. */
const everySeconds = 5;
/** Older lines are out of date: the program hangs, or the process has ended. */
const freshMs = everySeconds * 1_500;

const totalsQuery = [
  "--query-gpu=index,pci.bus_id,utilization.gpu,memory.free",
  "--format=csv,noheader,nounits",
];
const sharesQuery = ["pmon", "-s", "u"];

/** A GPU's whole load, 0 to 1, and its free memory in MiB. */
export type NvidiaTotal = {
  readonly index: number;
  readonly id: string;
  readonly load: number | null;
  readonly freeMb: number | null;
};

/** A process's share of a GPU, 0 to 1. Null if the driver has no sample of it, for example because it waits. */
export type NvidiaShare = { readonly index: number; readonly pid: number; readonly load: number | null };

/**
 * NVIDIA's driver reports only through its own program. While our runner lives, one process of it prints the GPUs' loads
 * and one the processes' shares. Before their first lines, the program is asked once.
 * @param shares false where the driver does not report processes: on Windows.
 */
export function nvidiaMeter(
  own: OwnGpuUse,
  { program = systemProgram("nvidia-smi"), shares = true, now = (): number => performance.now() } = {},
): GpuMeter {
  const seen = new NvidiaLines(now);
  const once = async (args: readonly string[]): Promise<readonly string[]> => {
    if (!existsSync(program)) return [];
    const result = await runSubprocess(program, args);
    return result.kind === "ok" ? result.stdout.split(/\r?\n/) : [];
  };
  return {
    source: "nvidia-smi",
    open: () => {
      if (!existsSync(program)) return () => undefined;
      const delay = String(everySeconds);
      const take = (line: string): void => seen.take(line);
      const totals = streamLines(program, [...totalsQuery, "-l", delay], take);
      const processes = shares
        ? streamLines(program, [...sharesQuery, "-d", delay], take)
        : (): void => undefined;
      return () => {
        totals();
        processes();
        seen.clear();
      };
    },
    read: async () => {
      if (!seen.hasTotals) for (const line of await once(totalsQuery)) seen.take(line);
      if (shares && own.isRunning() && !seen.hasShares) {
        for (const line of await once([...sharesQuery, "-c", "1"])) seen.take(line);
      }
      const runner = own.isRunning() ? own.processes() : null;
      return seen.totals.map((total) => readingOf(total, seen.shares, runner));
    },
  };
}

/** @param ours our processes while our runner is alive; null without a runner. */
export function readingOf(
  total: NvidiaTotal,
  shares: readonly NvidiaShare[],
  ours: ReadonlySet<number> | null,
): GpuReading {
  const { index, id, load, freeMb } = total;
  const here = shares.filter((each) => each.index === index);
  return {
    id,
    index,
    integrated: isIntegrated(id),
    otherLoad: ours === null ? knownOr(load) : othersOf(load, here, ours),
    vramFreeMb: knownOr(freeMb),
  };
}

/** Nobody feels so small a load, so it needs no telling apart. */
const smallLoad = 0.1;

function othersOf(
  total: number | null,
  shares: readonly NvidiaShare[],
  ours: ReadonlySet<number>,
): Known<number> {
  if (total !== null && total <= smallLoad) return known(total);
  const measured = shares.filter(({ load }) => load !== null);
  // Some drivers print no shares, and a container may hide the processes. Our own load would then count as theirs.
  if (measured.length === 0) return unknown;
  const others = measured.reduce((sum, { pid, load }) => sum + (ours.has(pid) ? 0 : (load ?? 0)), 0);
  const areWeHere = shares.some(({ pid }) => ours.has(pid));
  return known(share(areWeHere ? others : Math.max(others, total ?? 0)));
}

function knownOr(value: number | null): Known<number> {
  return value === null ? unknown : known(value);
}

/** The last lines of both kinds. */
class NvidiaLines {
  readonly #now: () => number;
  readonly #totals = new Map<number, { readonly value: NvidiaTotal; readonly at: number }>();
  readonly #shares = new Map<string, { readonly value: NvidiaShare; readonly at: number }>();
  #sharesAt = Number.NEGATIVE_INFINITY;
  readonly #parseShare = shareParser();

  constructor(now: () => number) {
    this.#now = now;
  }

  take(line: string): void {
    const at = this.#now();
    const total = parseTotal(line);
    if (total !== null) this.#totals.set(total.index, { value: total, at });
    const found = this.#parseShare(line);
    if (found === null) return;
    this.#sharesAt = at;
    if (found === "no process") return;
    const key = `${found.index} ${found.pid}`;
    const before = this.#shares.get(key);
    // A process with several contexts has several lines in one pass.
    const isSamePass = before !== undefined && at - before.at < 1_000;
    const load = isSamePass ? (greater(before.value.load, found.load) ?? null) : found.load;
    this.#shares.set(key, { value: { ...found, load }, at });
  }

  clear(): void {
    this.#totals.clear();
    this.#shares.clear();
    this.#sharesAt = Number.NEGATIVE_INFINITY;
  }

  get hasTotals(): boolean {
    return this.totals.length > 0;
  }

  get hasShares(): boolean {
    return this.#now() - this.#sharesAt < freshMs;
  }

  get totals(): readonly NvidiaTotal[] {
    return this.#fresh(this.#totals);
  }

  get shares(): readonly NvidiaShare[] {
    return this.#fresh(this.#shares);
  }

  #fresh<T>(held: Map<unknown, { readonly value: T; readonly at: number }>): readonly T[] {
    for (const [key, { at }] of held) if (this.#now() - at >= freshMs) held.delete(key);
    return [...held.values()].map(({ value }) => value);
  }
}

function greater(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

/** `0, 00000000:01:00.0, 71, 20000`, with "[N/A]" for unknown values. Null for any other line. */
export function parseTotal(line: string): NvidiaTotal | null {
  const cells = /^(\d+), ([0-9A-Fa-f]+):([0-9A-Fa-f:.]+), ([^,]+), ([^,]+)$/.exec(line.trim());
  if (cells === null) return null;
  const [, index, domain = "", place = "", load, free] = cells;
  const percent = Number(load);
  const freeMb = Number(free);
  return {
    index: Number(index),
    // The kernel writes four digits of the domain, in lower case.
    id: `${domain.slice(-4)}:${place}`.toLowerCase(),
    load: percent >= 0 && percent <= 100 ? percent / 100 : null,
    freeMb: freeMb >= 0 ? freeMb : null,
  };
}

/**
 * Reads `nvidia-smi pmon`. Drivers differ in their columns, so the header decides. "-" means: no process, or no sample.
 * @returns a parser of its lines, which is null for headers and other lines.
 */
export function shareParser(): (line: string) => NvidiaShare | "no process" | null {
  let columns: readonly string[] = [];
  return (line) => {
    const cells = line.trim().split(/\s+/);
    if (cells[0] === "#") {
      if (cells[1] === "gpu") columns = cells.slice(1);
      return null;
    }
    if (!/^\d+$/.test(cells[0] ?? "") || columns.length === 0) return null;
    const cell = (name: string): string => cells[columns.indexOf(name)] ?? "-";
    const index = Number(cells[0]);
    if (!/^\d+$/.test(cell("pid"))) return cell("pid") === "-" ? "no process" : null;
    const percent = cell("sm") === "-" ? NaN : Number(cell("sm"));
    return { index, pid: Number(cell("pid")), load: percent >= 0 ? Math.min(100, percent) / 100 : null };
  };
}
