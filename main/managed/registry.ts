import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSentence } from "../../app/contract/sentences/start-sentences.ts";
import { runSubprocess } from "../sensors/base/subprocess.ts";
import { StartRefusal } from "../store/start-refusal.ts";
import { systemProgram } from "../system-programs.ts";
import { registryKey } from "./places.ts";

/**
 * The text of the registry's key, or null if there is no such key. `reg export` writes UTF-16, while `reg query` prints in the
 * code page of the console. Throws a StartRefusal if the registry cannot be read, for example because a policy forbids `reg`:
 * then nobody knows what is locked.
 */
export async function exportedKey(): Promise<string | null> {
  const reg = systemProgram("reg", "win32");
  const query = (key: string) => runSubprocess(reg, ["query", key, "/ve"], { maxBytes: 1024 * 1024 });
  if ((await query(registryKey)).kind !== "ok") {
    if ((await query("HKLM\\SOFTWARE")).kind === "ok") return null;
    throw unreadable();
  }
  const folder = await mkdtemp(join(tmpdir(), "gleaner-managed-"));
  try {
    const file = join(folder, "managed.reg");
    const { kind } = await runSubprocess(reg, ["export", registryKey, file, "/y"]);
    if (kind !== "ok") throw unreadable();
    return (await readFile(file, "utf16le")).replace(/^\uFEFF/, "");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function unreadable(): StartRefusal {
  return new StartRefusal(startSentence("managed-registry-unreadable", registryKey));
}
