import type { AdminKeyCheck } from "../auth/admin-key.ts";
import type { Engine } from "../engine/types.ts";
import type { ApiRoute } from "../http/api-handler.ts";
import { backupRoutes } from "../http/backup-routes.ts";
import { exportRoutes } from "../http/export-routes.ts";
import { importRoutes } from "../http/import-routes.ts";
import type { Log } from "../operations/log.ts";
import type { FunctionRuntime } from "../runtime/function-runtime.ts";
import { Exports } from "./exports.ts";
import type { FilesInUse } from "./files-in-use.ts";
import { Imports } from "./imports.ts";
import { Restores } from "./restores.ts";
import { Uploads } from "./uploads.ts";
import { WorkFolder } from "./work-folder.ts";

export type BackupsOptions = {
  readonly engine: Engine;
  /** Or ":memory:". */
  readonly dataFile: string;
  readonly files: FilesInUse;
  readonly runtime: Pick<FunctionRuntime, "schemaOf" | "componentPaths">;
  readonly isAdminKey: AdminKeyCheck;
  readonly deploymentName: string;
  readonly log: Log;
  /** Closes the backend and starts it again; null where nobody can. */
  readonly restart: ((restoreId: string) => void) | null;
};

export type Backups = {
  readonly routes: readonly ApiRoute[];
  /** To be called before the files and the engine are closed. */
  readonly close: () => Promise<void>;
};

/** Opens all by which data leaves and enters the deployment as a whole. */
export async function openBackups(options: BackupsOptions): Promise<Backups> {
  const { engine, files, runtime, log } = options;
  const work = new WorkFolder(options.dataFile);
  const exports = new Exports({ engine, work, files, log });
  const { componentPaths: components } = runtime;
  const schemaOf = (component: string) => runtime.schemaOf(component);
  const imports = new Imports({ engine, work, files, schemaOf, components, log });
  await exports.start();
  await imports.start();
  const uploads = new Uploads(work);
  return {
    routes: [
      exportRoutes({ ...options, exports }),
      importRoutes({ ...options, imports, uploads }),
      backupRoutes({ ...options, backup: { engine, files, work }, restores: new Restores(options), uploads }),
    ],
    close: async () => {
      await Promise.all([exports.close(), imports.close()]);
      work.close();
    },
  };
}
