import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { type Known, known, unknown } from "../../../../app/facts/facts.ts";
import { listFolder, readNumber, readText } from "../../base/read-file.ts";
import type { Sensor } from "../../base/sensor.ts";

type Places = { readonly devices: string; readonly module: string; readonly processes: string };

const usual: Places = {
  devices: "/sys/class/video4linux",
  module: "/sys/module/uvcvideo/refcnt",
  processes: "/proc",
};

/** How often this user's open files are scanned, if the driver does not count its users. */
const scanEveryMs = 60_000;

/**
 * A camera is in use when a program holds it open. The driver of USB cameras counts these programs. For other
 * drivers, this scans the open files of the user's programs. A scan takes some milliseconds, so it runs once a
 * minute.
 */
export function cameraSensor(places: Partial<Places> = {}, now = () => performance.now()): Sensor {
  const at = { ...usual, ...places };
  let scannedAt = Number.NEGATIVE_INFINITY;
  let scanned: Known<boolean> = unknown;
  return {
    source: "the camera's driver",
    facts: ["cameraInUse"],
    everyMs: 10_000,
    sample: () => {
      const cameras = listFolder(at.devices);
      if (cameras.length === 0) return { cameraInUse: known(false) };
      const counted = readUvcUse(at.module);
      if (counted.known && (counted.value || cameras.every((name) => isUvc(at.devices, name)))) {
        return { cameraInUse: counted };
      }
      if (now() - scannedAt >= scanEveryMs) {
        scannedAt = now();
        scanned = known(holdsOpen(at.processes, cameras));
      }
      return { cameraInUse: scanned };
    },
  };
}

/**
 * The module's use count is the number of programs that hold a camera open. Unknown if the driver is built into the
 * kernel.
 */
function readUvcUse(path: string): Known<boolean> {
  const count = readNumber(path);
  return count === null ? unknown : known(count > 0);
}

function isUvc(devices: string, name: string): boolean {
  const driver = readText(join(devices, name, "device", "uevent"));
  return driver?.includes("DRIVER=uvcvideo") === true;
}

function holdsOpen(processes: string, cameras: readonly string[]): boolean {
  const devices = new Set(cameras.map((name) => `/dev/${name}`));
  return listFolder(processes)
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      const files = join(processes, pid, "fd");
      return listFolder(files).some((file) => devices.has(linkTarget(join(files, file)) ?? ""));
    });
}

function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
