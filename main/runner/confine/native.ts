import { createRequire } from "node:module";
import type Koffi from "koffi";

type Library = ReturnType<typeof Koffi.load>;

/** A C library of the system, and the error number of its last failed call. */
export type Native = {
  readonly open: (name: string | null) => Library;
  readonly errno: () => number;
  readonly koffi: typeof Koffi;
};

let found: Native | null | undefined;

/** Calls to the system without a compiler. Null if this platform has no build of koffi. */
export function native(): Native | null {
  if (found !== undefined) return found;
  try {
    const koffi = createRequire(import.meta.url)("koffi") as typeof Koffi;
    found = { open: (name) => koffi.load(name), errno: () => koffi.errno(), koffi };
  } catch {
    found = null;
  }
  return found;
}
