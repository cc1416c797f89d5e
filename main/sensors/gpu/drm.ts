import { accessSync, constants, readlinkSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Known, known, unknown } from "../../../app/facts/facts.ts";
import type { OwnGpuUse } from "../base/own-use.ts";
import { listFolder, readNumber, readText } from "../base/read-file.ts";
import { type BusySample, type BusyTime, BusyWatch } from "./busy-time.ts";
import { parseFdinfo } from "./fdinfo.ts";
import { type GpuMeter, type GpuReading, isIntegrated, share } from "./gpu-meter.ts";

const bytesPerMb = 1024 * 1024;

/** Drivers that count each program's time. */
const countingDrivers: readonly string[] = ["amdgpu", "i915", "xe"];

type Places = { readonly cards: string; readonly processes: string };

/** A GPU of /sys/class/drm. `nodes` are its files in /dev/dri. */
type Card = {
  readonly id: string;
  readonly driver: string | null;
  readonly folder: string;
  readonly nodes: readonly string[];
};

/**
 * `silent`: a GPU to which a program is connected whose use the driver does not count. `hidden`: whether a person's program
 * may use a GPU without being counted, because only its owner may see its open files.
 */
type DrmSample = BusySample & { readonly silent: ReadonlySet<string>; readonly hidden: boolean };

/**
 * GPUs of the kernel's own drivers on Linux: AMD's and Intel's. No subprocess. Programs of other people are visible only
 * in amdgpu's own sum, and only while our runner does not use that GPU. Otherwise the load is unknown while there are such
 * programs.
 */
export function drmMeter(
  own: OwnGpuUse,
  { cards = "/sys/class/drm", processes = "/proc" }: Partial<Places> = {},
  wait: (ms: number) => Promise<unknown> = sleep,
  now: () => number = () => performance.now(),
  isHidden: (processFolder: string) => boolean = isHiddenFromUs,
): GpuMeter {
  const watch = new BusyWatch<DrmSample>(
    () => Promise.resolve(sampleOf(readCards(cards), processes, own.processes(), now(), isHidden)),
    wait,
  );
  return {
    source: `${processes}/*/fdinfo`,
    read: async () => {
      const found = readCards(cards);
      // Without a GPU there is no need to look at all programs.
      if (found.every(({ driver }) => !counts(driver))) return found.map((card) => readingOf(card, unknown));
      const { sample, shares } = await watch.read();
      return found.map((card) => {
        const { others = 0, ours = 0 } = shares.get(card.id) ?? {};
        if (!counts(card.driver) || sample.silent.has(card.id)) return readingOf(card, unknown);
        const whole = ours === 0 ? readNumber(join(card.folder, "gpu_busy_percent")) : null;
        if (whole === null && sample.hidden) return readingOf(card, unknown);
        return readingOf(card, known(share(Math.max(others, (whole ?? 0) / 100))));
      });
    },
  };
}

function counts(driver: string | null): boolean {
  return driver !== null && countingDrivers.includes(driver);
}

function readingOf({ id, folder }: Card, otherLoad: Known<number>): GpuReading {
  const total = readNumber(join(folder, "mem_info_vram_total"));
  const used = readNumber(join(folder, "mem_info_vram_used"));
  return {
    id,
    index: null,
    integrated: isIntegrated(id),
    otherLoad,
    vramFreeMb:
      total === null || used === null ? unknown : known(Math.round(Math.max(0, total - used) / bytesPerMb)),
  };
}

/** GPUs that can compute: those with a render node. */
function readCards(folder: string): readonly Card[] {
  const nodes = listFolder(folder).filter((name) => /^(card|renderD)\d+$/.test(name));
  const found = new Map<string, Card>();
  for (const node of nodes) {
    const device = join(folder, node, "device");
    const uevent = readText(join(device, "uevent")) ?? "";
    const id = /^PCI_SLOT_NAME=(.+)$/m.exec(uevent)?.[1] ?? node;
    const driver = /^DRIVER=(.+)$/m.exec(uevent)?.[1] ?? null;
    const { nodes: others = [] } = found.get(id) ?? {};
    found.set(id, { id, driver, folder: device, nodes: [...others, node] });
  }
  return [...found.values()].filter((card) => card.nodes.some((node) => node.startsWith("renderD")));
}

/** Reads what all visible programs used so far. */
function sampleOf(
  cards: readonly Card[],
  processes: string,
  ours: ReadonlySet<number>,
  atMs: number,
  isHidden: (processFolder: string) => boolean,
): DrmSample {
  const cardOf = new Map(cards.flatMap(({ id, nodes }) => nodes.map((node) => [node, id] as const)));
  const clients = new Map<string, readonly BusyTime[]>();
  const silent = new Set<string>();
  let hidden = false;
  for (const pid of listFolder(processes)) {
    if (!/^\d+$/.test(pid)) continue;
    hidden ||= isHidden(join(processes, pid));
    for (const gpuFile of gpuFiles(join(processes, pid, "fd"))) {
      const gpu = cardOf.get(gpuFile.node);
      if (gpu === undefined) continue;
      const client = parseFdinfo(readText(join(processes, pid, "fdinfo", gpuFile.file)) ?? "");
      if (client === null || client.engines.length === 0) {
        silent.add(gpu);
        continue;
      }
      const own = ours.has(Number(pid));
      const key = `${gpu} ${client.id}`;
      // Several programs may hold one client, since a display server passes it on. It is ours if we hold it.
      if (clients.has(key) && !own) continue;
      clients.set(
        key,
        client.engines.map(({ name, busy, total, count }) => ({
          gpu,
          engine: name,
          client: client.id,
          own,
          busy,
          total,
          engines: count,
        })),
      );
    }
  }
  return { atMs, times: [...clients.values()].flat(), silent, hidden };
}

/** User ids of people. Below are the system's accounts, above those that it makes for services. */
const people = { first: 1_000, last: 59_999 } as const;

/** Whether a process belongs to another person, and its open files cannot be listed. */
function isHiddenFromUs(processFolder: string): boolean {
  try {
    const { uid } = statSync(processFolder);
    if (uid < people.first || uid > people.last || uid === process.getuid?.()) return false;
  } catch {
    // It has ended.
    return false;
  }
  try {
    accessSync(join(processFolder, "fd"), constants.R_OK | constants.X_OK);
    return false;
  } catch {
    return true;
  }
}

function gpuFiles(folder: string): readonly { readonly file: string; readonly node: string }[] {
  return listFolder(folder).flatMap((file) => {
    const target = linkTarget(join(folder, file));
    return target.startsWith("/dev/dri/") ? [{ file, node: basename(target) }] : [];
  });
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
