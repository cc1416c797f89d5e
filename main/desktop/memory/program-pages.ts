import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { loadLibc } from "./libc.ts";

/** A part of the address space. `start` is its address. `place`: its addresses and its file. */
type Mapping = { readonly start: bigint; readonly bytes: number; readonly place: string };

const head = /^([\da-f]+)-([\da-f]+) (\S{4}) \S+ \S+ \d+ +(\/.*)$/;
/** A part that was changed and then swapped out is no longer anonymous memory. */
const sizes = /^(Anonymous|Private_Dirty|Shared_Dirty|Swap|Locked): +(\d+) kB$/gm;

/**
 * The mappings that nothing writes and nothing has changed: of shared libraries and of files in the program's folder. Their content
 * is in their files.
 * @param smaps the content of /proc/PID/smaps, proc(5).
 */
export function unchangedMappings(smaps: string, program: string): readonly Mapping[] {
  return smaps.split(/^(?=[\da-f]+-[\da-f]+ )/m).flatMap((text): readonly Mapping[] => {
    const [line = ""] = text.split("\n", 1);
    const [, start = "", end = "", access = "", file = ""] = head.exec(line) ?? [];
    const isOwn = dirname(file) === dirname(program) && !file.endsWith(" (deleted)");
    const isLibrary = /\.so(\.\d+)*$/.test(file);
    if (!isOwn && !isLibrary) return [];
    if (!/^r-[x-]p$/.test(access) && !(isOwn && access === "r--s")) return [];
    const changed = [...text.matchAll(sizes)].map(([, , kilobytes]) => kilobytes);
    if (changed.length < 5 || changed.some((kilobytes) => kilobytes !== "0")) return [];
    const from = BigInt(`0x${start}`);
    return [{ start: from, bytes: Number(BigInt(`0x${end}`) - from), place: placeOf(line) }];
  });
}

/** @param line of /proc/PID/maps, or the first one of a mapping in smaps. */
function placeOf(line: string): string {
  const [, start, end, , file] = head.exec(line) ?? [];
  return [start, end, file].join(" ");
}

/** MADV_DONTNEED, madvise(2). */
const dontNeed = 4;

/** The code and the constants of the program and its libraries, in memory. Only on Linux. Make it at the program's start. */
export class ProgramPages {
  /** Mapped when the program started. They stay where they are as long as it runs, so their addresses never become another's. */
  readonly #lasting = new Set(readFileSync("/proc/self/maps", "utf8").split("\n").map(placeOf));

  /**
   * Gives back their memory. Most of it was needed only for the start or for a window. The next use of a page maps it again, mostly
   * from the system's cache. Throws if a native call cannot be made.
   */
  giveBack(): void {
    const advise = loadLibc().func("int madvise(uintptr_t address, size_t bytes, int advice)");
    for (const { place, start, bytes } of unchangedMappings(readSmaps(), process.execPath))
      if (this.#lasting.has(place)) advise(start, bytes, dontNeed);
  }
}

function readSmaps(): string {
  return readFileSync("/proc/self/smaps", "utf8");
}
