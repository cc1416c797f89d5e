import { rm, stat } from "node:fs/promises";
import { convexToJson } from "convex/values";
import type { DocumentJson, Engine, Timestamp } from "../../engine/model/types.ts";
import { describeError, type Log } from "../../operations/log.ts";
import { exportTable } from "../../runtime/tables/state-tables.ts";
import type { FilesInUse } from "../files-in-use.ts";
import { change, newestFirst, patch } from "../state-documents.ts";
import { removeDatabase, type WorkFolder } from "../work-folder.ts";
import { exportSnapshot } from "./export-snapshot.ts";

type ExportsDeps = {
  readonly engine: Engine;
  readonly work: WorkFolder;
  readonly files: FilesInUse;
  readonly log: Log;
};

type Finished = { readonly ts: Timestamp; readonly file: string };

/** Makes exports, one at a time, and keeps the newest until the backend stops. */
export class Exports {
  readonly #deps: ExportsDeps;
  #running: Promise<void> | null = null;
  #finished: Finished | null = null;

  constructor(deps: ExportsDeps) {
    this.#deps = deps;
  }

  /** Marks the work that an earlier process left unfinished as failed. */
  async start(): Promise<void> {
    await change(this.#deps.engine, (transaction) => {
      for (const row of newestFirst(transaction, exportTable.name)) {
        const isOpen = row["state"] === "requested" || row["state"] === "in_progress";
        if (isOpen) patch(transaction, row["_id"] as string, { state: "failed" });
      }
    });
  }

  /** Requests an export. False while another one is being made. */
  async request(includeStorage: boolean): Promise<boolean> {
    if (this.#running !== null) return false;
    let done: () => void = () => undefined;
    this.#running = new Promise((resolve) => (done = resolve));
    const end = (): void => {
      this.#running = null;
      done();
    };
    try {
      const id = await this.#newRow(includeStorage);
      void this.#make(id, includeStorage).finally(end);
    } catch (error) {
      end();
      throw error;
    }
    return true;
  }

  /** Returns the finished export of a snapshot, or null. */
  async find(ts: string): Promise<{ readonly file: string; readonly size: number } | null> {
    const finished = this.#finished;
    if (finished === null || finished.ts.toString() !== ts) return null;
    const { size } = await stat(finished.file);
    return { file: finished.file, size };
  }

  async close(): Promise<void> {
    await this.#running;
  }

  #newRow(includeStorage: boolean): Promise<string> {
    return change(this.#deps.engine, (transaction) => {
      for (const row of newestFirst(transaction, exportTable.name)) transaction.remove(row["_id"] as string);
      return transaction.insert(exportTable.name, {
        state: "requested",
        requestor: "snapshotExport",
        format: { format: "zip", include_storage: includeStorage },
      });
    });
  }

  async #make(id: string, includeStorage: boolean): Promise<void> {
    const { engine, work, files, log } = this.#deps;
    const [copy, target] = [work.newPath("export-copy"), `${work.newPath("export")}.zip`];
    // Files that the snapshot names must stay readable even if they are deleted meanwhile.
    const release = await files.hold();
    try {
      const ts = await engine.copyTo(copy);
      await this.#patch(id, { state: "in_progress", start_ts: convexToJson(ts) });
      await exportSnapshot({ copy, target, files: includeStorage ? files.store : null });
      await this.#keep({ ts, file: target });
      await this.#patch(id, {
        state: "completed",
        complete_ts: convexToJson(engine.durable()),
        zip_object_key: `${String(ts)}.zip`,
      });
    } catch (error) {
      log.error("export.failed", { message: describeError(error) });
      await rm(target, { force: true });
      await this.#patch(id, { state: "failed" }).catch(() => undefined);
    } finally {
      release();
      await removeDatabase(copy);
    }
  }

  async #keep(finished: Finished): Promise<void> {
    const before = this.#finished;
    this.#finished = finished;
    if (before !== null) await rm(before.file, { force: true });
  }

  #patch(id: string, fields: DocumentJson): Promise<void> {
    return change(this.#deps.engine, (transaction) => {
      patch(transaction, id, fields);
    });
  }
}
