import { join } from "node:path";
import { listFolder, readNumber, readText } from "../base/read-file.ts";

/** A processor's counter, as it was last read. */
type Zone = { readonly path: string; readonly range: number; last: number };

/**
 * The energy that the processors have used since the first read: Intel's RAPL, which AMD's processors have, too. Only whole
 * packages count, since their parts are in them. Since Linux 5.10 only root may read the counters, unless an administrator allows
 * it.
 * @returns a function that reads it, in joules; null if no counter can be read.
 */
export function raplCounter(folder = "/sys/class/powercap"): () => number | null {
  let zones: readonly Zone[] | null = null;
  let joules = 0;
  return () => {
    zones ??= packagesIn(folder);
    if (zones.length === 0) return null;
    for (const zone of zones) {
      const now = readNumber(join(zone.path, "energy_uj"));
      // After one failed read nobody knows how often the counter overflowed. Begin again, as another meter would.
      if (now === null) return (zones = null);
      joules += (now >= zone.last ? now - zone.last : now + zone.range - zone.last) / 1e6;
      zone.last = now;
    }
    return joules;
  };
}

function packagesIn(folder: string): readonly Zone[] {
  return listFolder(folder).flatMap((name) => {
    // "intel-rapl:0" is a package, "intel-rapl:0:0" a part of it, and "intel-rapl-mmio:0" the same package once more.
    if (!/^intel-rapl:\d+$/.test(name)) return [];
    const path = join(folder, name);
    if (readText(join(path, "name"))?.startsWith("package") !== true) return [];
    const [last, range] = [
      readNumber(join(path, "energy_uj")),
      readNumber(join(path, "max_energy_range_uj")),
    ];
    return last === null || range === null ? [] : [{ path, range, last }];
  });
}
