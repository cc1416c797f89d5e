import { undoRestore } from "./backup/full/restore-swap.ts";
import type { Backend, BackendOptions } from "./compose/backend-options.ts";
import { describeError, silent } from "./operations/log.ts";
import { startBackend } from "./server.ts";
import { asError, errorMessage } from "./values/errors.ts";

/**
 * Starts a backend that restarts on the same ports after a restore, so that clients reconnect. If it does not start
 * with the restored state, it goes back to the previous one. Rejects like startBackend.
 */
export async function startRestartingBackend(options: BackendOptions): Promise<Backend> {
  const { log = silent, dataFile } = options;
  let closed = false;
  let restarting: Promise<void> = Promise.resolve();
  let current = await startBackend({ ...options, restart });
  const { url, siteUrl, adminKey, loaded } = current;
  const ports = { port: portOf(url), sitePort: portOf(siteUrl) };
  const again: BackendOptions = { ...options, restart, ...ports };

  function restart(id: string): void {
    restarting = restarting.then(async () => {
      if (closed) return;
      await current.close().catch((error: unknown) => {
        log.error("stop.failed", { message: describeError(error) });
      });
      current = await startRestored(id);
    });
    restarting.catch((error: unknown) => {
      options.onFailed?.(asError(error));
    });
  }

  async function startRestored(id: string): Promise<Backend> {
    try {
      const backend = await startBackend({ ...again, waitsForVariables: false });
      log.info("restore.done", { id });
      return backend;
    } catch (error) {
      const reason = errorMessage(error);
      log.error("restore.failed", { id, message: describeError(error) });
      if (!undoRestore(dataFile, id, reason)) throw error;
      return startBackend(again);
    }
  }

  return {
    url,
    siteUrl,
    adminKey,
    loaded,
    close: async () => {
      closed = true;
      await restarting.catch(() => undefined);
      await current.close();
    },
  };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
