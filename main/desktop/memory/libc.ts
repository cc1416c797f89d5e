import { createRequire } from "node:module";
import type Koffi from "koffi";

/** The C library, for calls that Node lacks. A wrong call ends the process. Throws if this platform has no build of koffi. */
export function loadLibc(): ReturnType<typeof Koffi.load> {
  const koffi = createRequire(import.meta.url)("koffi") as typeof Koffi;
  return koffi.load(null);
}
