import { createHmac } from "node:crypto";
import { completeRestore } from "../backup/full/restore-swap.ts";
import { openEngine } from "../engine/engine.ts";
import type { Engine } from "../engine/model/types.ts";
import { blobCollection } from "../operations/idle-collection.ts";
import { describeError, silent } from "../operations/log.ts";
import { waitForChangePath } from "../runtime/syscalls/functions.ts";
import { type Files, openFiles } from "../storage/open-files.ts";
import { EnvironmentVariables } from "../system/environment-variables.ts";
import type { BackendOptions } from "./backend-options.ts";
import type { Listeners } from "./listeners.ts";
import type { Shutdown } from "./shutdown.ts";

const maxFileBytes = 2 * 1024 ** 3;

/** The data of a deployment. */
export type Data = {
  readonly engine: Engine;
  readonly environment: EnvironmentVariables;
  readonly files: Files;
};

/** Opens the data file and the folder of stored files. Throws StoreError. */
export async function openData(
  options: BackendOptions,
  { url, siteUrl }: Pick<Listeners, "url" | "siteUrl">,
  shutdown: Shutdown,
): Promise<Data> {
  const { dataFile, adminKey, onFailed, publicUrl, publicSiteUrl, log = silent } = options;
  completeRestore(dataFile);
  const engine = openEngine({ path: dataFile, ...(onFailed === undefined ? {} : { onFailed }) });
  // Registered first, so that the engine closes last: answers in progress need it to the end.
  shutdown.afterward(() => engine.close());
  const environment = new EnvironmentVariables(
    engine,
    { CONVEX_CLOUD_URL: publicUrl ?? url, CONVEX_SITE_URL: publicSiteUrl ?? siteUrl },
    options.env ?? {},
    { CONVEX_EMBEDDED_WAIT_FOR_CHANGE: waitForChangePath },
  );
  const files = await openFiles({
    engine,
    dataFile,
    baseUrl: () => environment.all["CONVEX_CLOUD_URL"] ?? url,
    secret: createHmac("sha256", adminKey).update("upload URLs").digest("hex"),
    maxFileBytes: options.maxFileBytes ?? maxFileBytes,
    beforeBlob: blobCollection(),
    onError: (error) => log.error("storage.failed", { message: describeError(error) }),
  });
  shutdown.afterward(() => files.close());
  return { engine, environment, files };
}
