import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type Koffi from "koffi";

/** A part of the address space. `start` is its address. */
type Mapping = { readonly start: bigint; readonly bytes: number };

const head = /^([\da-f]+)-([\da-f]+) (\S{4}) \S+ \S+ \d+ +(\/.*)$/;
const sizes = /^(Anonymous|Private_Dirty|Shared_Dirty|Locked): +(\d+) kB$/gm;

/**
 * The mappings of the program's file that nothing writes and nothing has changed: its code and its constants.
 * @param smaps the content of /proc/PID/smaps, proc(5).
 */
export function unchangedMappings(smaps: string, program: string): readonly Mapping[] {
  return smaps.split(/^(?=[\da-f]+-[\da-f]+ )/m).flatMap((text): readonly Mapping[] => {
    const [, start = "", end = "", access = "", file] = head.exec(text.split("\n", 1)[0] ?? "") ?? [];
    if (file !== program || !/^r-[x-]p$/.test(access)) return [];
    const changed = [...text.matchAll(sizes)].map(([, , kilobytes]) => kilobytes);
    if (changed.length < 4 || changed.some((kilobytes) => kilobytes !== "0")) return [];
    const from = BigInt(`0x${start}`);
    return [{ start: from, bytes: Number(BigInt(`0x${end}`) - from) }];
  });
}

/** MADV_DONTNEED, madvise(2). */
const dontNeed = 4;

/**
 * Gives back the memory of the program's code and constants. Most of it was needed only for the start or for a window. The next use
 * of a page maps it again, mostly from the system's cache. Only on Linux. Throws if a native call cannot be made.
 */
export async function giveBackPages(): Promise<void> {
  const koffi = createRequire(import.meta.url)("koffi") as typeof Koffi;
  const advise = koffi.load(null).func("int madvise(uintptr_t address, size_t bytes, int advice)");
  // A wrong address would end the process. The program's own file stays mapped where it is.
  const smaps = await readFile("/proc/self/smaps", "utf8");
  for (const { start, bytes } of unchangedMappings(smaps, process.execPath)) advise(start, bytes, dontNeed);
}
