import { join } from "node:path";
import { type Known, known, unknown } from "../../../../app/facts/facts.ts";
import type { OwnGpuUse } from "../../base/own-use.ts";
import { listFolder, readNumber, readText } from "../../base/read-file.ts";
import type { Sensor } from "../../base/sensor.ts";

const bytesPerMb = 1024 * 1024;

/** Load and free memory of GPUs whose driver reports them (amdgpu and some others). No subprocess. */
export function graphicsSensor(own: OwnGpuUse, folder = "/sys/class/drm"): Sensor {
  return {
    source: folder,
    facts: ["otherGpuLoad", "vramFreeMb"],
    everyMs: 15_000,
    sample: () => ({
      otherGpuLoad: own() ? unknown : readGpuLoad(folder),
      vramFreeMb: readVramFree(folder),
    }),
  };
}

/** Load of the busiest GPU, 0 to 1. */
function readGpuLoad(folder: string): Known<number> {
  const percents = cards(folder)
    .map((card) => readNumber(join(card, "device", "gpu_busy_percent")))
    .filter((value) => value !== null);
  return percents.length === 0 ? unknown : known(Math.min(1, Math.max(0, ...percents) / 100));
}

/** Free memory of the GPU that has the most, in MiB. */
function readVramFree(folder: string): Known<number> {
  const free = cards(folder).flatMap((card) => {
    const total = readNumber(join(card, "device", "mem_info_vram_total"));
    const used = readNumber(join(card, "device", "mem_info_vram_used"));
    return total === null || used === null ? [] : [total - used];
  });
  return free.length === 0 ? unknown : known(Math.round(Math.max(0, ...free) / bytesPerMb));
}

/** Whether all connected screens are dark. Works on X11, on Wayland and on the console. */
export function displayPowerSensor(folder = "/sys/class/drm"): Sensor {
  return {
    source: `${folder}/*/dpms`,
    facts: ["displayOff"],
    everyMs: 60_000,
    sample: () => ({ displayOff: readDisplayOff(folder) }),
  };
}

function readDisplayOff(folder: string): Known<boolean> {
  const screens = listFolder(folder)
    .map((name) => join(folder, name))
    .filter((path) => readText(join(path, "status")) === "connected")
    .map((path) => readText(join(path, "dpms")))
    .filter((state) => state !== null);
  return screens.length === 0 ? unknown : known(screens.every((state) => state !== "On"));
}

function cards(folder: string): readonly string[] {
  return listFolder(folder)
    .filter((name) => /^card\d+$/.test(name))
    .map((name) => join(folder, name));
}
