import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { startEmbedded } from "./embedded-backend.ts";

type CrashingBackend = {
  readonly url: string;
  /** Kills it with SIGKILL and restarts it on the same file and ports. Resolves when it answers again. */
  readonly crash: () => Promise<void>;
};

/** Starts an embedded backend that the test may kill repeatedly. Its data is removed after the test. */
export async function startCrashingBackend(): Promise<CrashingBackend> {
  const folder = await mkdtemp(join(tmpdir(), "crash-"));
  const dataFile = join(folder, "data.sqlite3");
  // As `npm start` does, so that the tenth start takes less than the first.
  const env = { NODE_COMPILE_CACHE: join(folder, "compiled") };
  let backend = await startEmbedded({ dataFile, env });
  onTestFinished(async () => {
    await backend.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const [port = 0, sitePort = 0] = [backend.url, backend.siteUrl].map((url) => Number(new URL(url).port));
  return {
    url: backend.url,
    crash: async () => {
      const ended = once(backend.process, "exit");
      backend.process.kill("SIGKILL");
      await ended;
      backend = await startEmbedded({ dataFile, port, sitePort, env });
    },
  };
}
