import type { AdminKeyCheck } from "../auth/admin-key.ts";
import { Exports } from "../backup/export/exports.ts";
import type { FilesInUse } from "../backup/files-in-use.ts";
import { Restores } from "../backup/full/restores.ts";
import { Imports } from "../backup/import/imports.ts";
import { Uploads } from "../backup/uploads.ts";
import { WorkFolder } from "../backup/work-folder.ts";
import type { Engine } from "../engine/model/types.ts";
import { backupRoutes } from "../http/admin/backup-routes.ts";
import { exportRoutes } from "../http/admin/export-routes.ts";
import { importRoutes } from "../http/admin/import-routes.ts";
import type { ApiRoute } from "../http/api/api-handler.ts";
import type { Log } from "../operations/log.ts";
import type { FunctionRuntime } from "../runtime/function-runtime.ts";
import type { RecordAct } from "../system/admin-acts.ts";
import type { SourceOf } from "../wire/request-source.ts";

type BackupsOptions = {
  readonly engine: Engine;
  /** A file, or ":memory:". */
  readonly dataFile: string;
  readonly files: FilesInUse;
  readonly runtime: Pick<FunctionRuntime, "schemaOf" | "componentPaths" | "whileIdle">;
  readonly isAdminKey: AdminKeyCheck;
  readonly record: RecordAct;
  readonly sourceOf: SourceOf;
  readonly deploymentName: string;
  readonly log: Log;
  /** Closes and restarts the backend; null if that is impossible. */
  readonly restart: ((restoreId: string) => void) | null;
};

type Backups = {
  readonly routes: readonly ApiRoute[];
  /** Call before closing the files and the engine. */
  readonly close: () => Promise<void>;
};

/** Sets up exports, imports, backups and restores of the whole deployment. */
export async function openBackups(options: BackupsOptions): Promise<Backups> {
  const { engine, files, runtime, log } = options;
  const work = new WorkFolder(options.dataFile);
  const exports = new Exports({ engine, work, files, log });
  const components = () => runtime.componentPaths;
  const schemaOf = (component: string) => runtime.schemaOf(component);
  const whileIdle = <T>(task: () => T): Promise<T> => runtime.whileIdle(task);
  const imports = new Imports({ engine, work, files, schemaOf, components, whileIdle, log });
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
