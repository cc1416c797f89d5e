import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createWallClock } from "../../packages/embedded/clock/wall-clock.fixture.ts";
import { startEmbedded } from "./embedded-backend.ts";

type SteppingBackend = {
  readonly url: string;
  readonly adminKey: string;
  /** Steps the wall clock of its process to this distance from the real one, in ms. */
  readonly step: (ms: number) => void;
  /** Kills it with SIGKILL and restarts it on the same file, ports and clock. Resolves when it answers again. */
  readonly restart: () => Promise<void>;
};

/** Starts an embedded backend whose wall clock the test may step. Its data is removed after the test. */
export async function startSteppingBackend(issuer: string): Promise<SteppingBackend> {
  const folder = await mkdtemp(join(tmpdir(), "stepping-"));
  const dataFile = join(folder, "data.sqlite3");
  const clock = createWallClock();
  const options = { dataFile, issuer, env: clock.env };
  let backend = await startEmbedded(options);
  onTestFinished(async () => {
    await backend.stop();
    await rm(folder, { recursive: true, force: true });
    clock.remove();
  });
  const [port = 0, sitePort = 0] = [backend.url, backend.siteUrl].map((url) => Number(new URL(url).port));
  return {
    url: backend.url,
    adminKey: backend.adminKey,
    step: clock.step,
    restart: async () => {
      const ended = once(backend.process, "exit");
      backend.process.kill("SIGKILL");
      await ended;
      backend = await startEmbedded({ ...options, port, sitePort });
    },
  };
}
