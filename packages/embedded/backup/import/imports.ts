import { rm } from "node:fs/promises";
import { convexToJson } from "convex/values";
import type { DocumentJson, Engine } from "../../engine/model/types.ts";
import type { ComponentPath } from "../../names/table-name.ts";
import { describeError, type Log } from "../../operations/log.ts";
import type { Schema } from "../../runtime/checks/schema.ts";
import { importTable } from "../../runtime/tables/state-tables.ts";
import { errorMessage } from "../../values/errors.ts";
import type { FilesInUse } from "../files-in-use.ts";
import { ImportFailure } from "../read/import-failure.ts";
import type { ImportFormat, ImportSource } from "../read/import-source.ts";
import { tableSource } from "../read/table-source.ts";
import { zipSource } from "../read/zip-source.ts";
import { change, newestFirst, patch } from "../state-documents.ts";
import type { WorkFolder } from "../work-folder.ts";
import { ImportFiles } from "./import-files.ts";
import { deletesSomething, planImport, summaryOf } from "./import-plan.ts";
import type { ImportMode, ImportPlan } from "./planned-tables.ts";
import { runImport } from "./run-import.ts";
import { scanImport } from "./scan-import.ts";

const keptRows = 50;
/** Most imports that may wait for confirmation; the oldest is dropped. */
const maxWaiting = 8;
const note =
  "Once the import has started, it will run in the background.\nInterrupting `npx convex import` will not cancel it.";

type ImportRequest = {
  readonly file: string;
  readonly format: ImportFormat;
  readonly mode: ImportMode;
  /** The target table, for formats that hold a single table. */
  readonly table: string | null;
  readonly component: ComponentPath;
};

type ImportsDeps = {
  readonly engine: Engine;
  readonly work: WorkFolder;
  readonly files: FilesInUse;
  readonly schemaOf: (component: ComponentPath) => Schema;
  /** The components that are installed now. */
  readonly components: () => readonly ComponentPath[];
  /** Runs a task while no function reads the database. */
  readonly whileIdle: <T>(task: () => T) => Promise<T>;
  readonly log: Log;
};

type WaitingImport = {
  readonly request: ImportRequest;
  readonly source: ImportSource;
  readonly plan: ImportPlan;
};

type OnPlaced = (tables: readonly string[]) => Promise<void>;

/** Runs imports. Each is read and described first, and put in place after it was confirmed. */
export class Imports {
  readonly #deps: ImportsDeps;
  readonly #waiting = new Map<string, WaitingImport>();
  readonly #canceled = new Set<string>();
  readonly #working = new Set<Promise<void>>();

  constructor(deps: ImportsDeps) {
    this.#deps = deps;
  }

  /** Marks the imports that an earlier process left unfinished as failed. They changed nothing. */
  async start(): Promise<void> {
    const message = "The backend was stopped before the import was finished. Nothing was changed.";
    await change(this.#deps.engine, (transaction) => {
      const rows = newestFirst(transaction, importTable.name);
      for (const row of rows.slice(0, keptRows)) {
        if (isOpen(row)) patch(transaction, row["_id"] as string, { state: failed(message) });
      }
      for (const row of rows.slice(keptRows)) transaction.remove(row["_id"] as string);
    });
  }

  /** Accepts an uploaded file and describes it in the background. Returns the import's id. */
  async add(request: ImportRequest): Promise<string> {
    const { format, mode, component, table } = request;
    const id = await change(this.#deps.engine, (transaction) =>
      transaction.insert(importTable.name, {
        state: { state: "uploaded" },
        requestor: { type: "snapshotImport" },
        mode,
        format: table === null ? { format } : { format, table },
        component_path: component,
      }),
    );
    this.#work(id, () => this.#describe(id, request));
    return id;
  }

  /** Puts a waiting import in place, and then tells the names of its tables. False if no such import is waiting. */
  async perform(id: string, onPlaced: OnPlaced): Promise<boolean> {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return false;
    this.#waiting.delete(id);
    await this.#report(id, { state: "in_progress", progress_message: "Importing", checkpoint_messages: [] });
    this.#work(id, () => this.#run(id, waiting, onPlaced));
    return true;
  }

  /** Cancels an import at any stage. A finished one stays. */
  async cancel(id: string): Promise<void> {
    this.#canceled.add(id);
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    await this.#report(id, failed("Import was canceled."));
    await dispose(waiting);
  }

  async close(): Promise<void> {
    for (const id of [...this.#waiting.keys()]) await this.cancel(id);
    // Running imports are not awaited: each stops at its next step.
    this.#isClosing = true;
    await Promise.all(this.#working);
  }

  #isClosing = false;

  async #describe(id: string, request: ImportRequest): Promise<void> {
    const source = await open(request);
    try {
      const imported = await scanImport(source);
      const { engine, components, schemaOf } = this.#deps;
      const plan = planImport(request.mode, imported, {
        tables: engine.tables(),
        count: (name) => engine.countDocuments(name),
        isDeclared: (component, table) => {
          if (!components().includes(component)) return null;
          return schemaOf(component).tables.some(({ name }) => name === table);
        },
      });
      if (this.#canceled.has(id)) throw new ImportFailure("Import was canceled.");
      const [oldest] = this.#waiting.keys();
      if (oldest !== undefined && this.#waiting.size >= maxWaiting) await this.cancel(oldest);
      this.#waiting.set(id, { request, source, plan });
      await this.#report(id, {
        state: "waiting_for_confirmation",
        message_to_confirm: `${summaryOf(plan)}\n${note}`,
        require_manual_confirmation: deletesSomething(plan),
      });
    } catch (error) {
      this.#waiting.delete(id);
      await dispose({ request, source });
      throw error;
    }
  }

  async #run(id: string, waiting: WaitingImport, onPlaced: OnPlaced): Promise<void> {
    const { engine, work, files, schemaOf, whileIdle } = this.#deps;
    const stagingFile = work.newPath("staging");
    const imported = new ImportFiles(files.store);
    const done: string[] = [];
    const progress = (message: string) =>
      this.#report(id, { state: "in_progress", progress_message: message, checkpoint_messages: [...done] });
    let placed = false;
    try {
      const rows = await runImport({
        engine,
        source: waiting.source,
        plan: waiting.plan,
        isCsv: waiting.request.format === "csv",
        files: imported,
        stagingFile,
        schemaOf,
        whileIdle,
        isCanceled: () => this.#isClosing || this.#canceled.has(id),
        onRows: ({ name }, count) =>
          progress(`Importing "${name}" (${count.toLocaleString("en-US")} documents)`),
        onTable: ({ name }, count) => {
          done.push(`Imported "${name}" (${count.toLocaleString("en-US")} documents)`);
          return progress("Importing");
        },
      });
      placed = true;
      await onPlaced(tablesIn(waiting.plan));
      await this.#report(id, {
        state: "completed",
        num_rows_written: convexToJson(BigInt(rows)),
        ts: convexToJson(engine.durable()),
      });
    } finally {
      await imported.release(placed);
      await rm(stagingFile, { force: true });
      await dispose(waiting);
    }
  }

  #work(id: string, body: () => Promise<void>): void {
    const working = body()
      .catch((error: unknown) => {
        if (!(error instanceof ImportFailure)) {
          this.#deps.log.error("import.failed", { message: describeError(error) });
        }
        return this.#report(id, failed(messageOf(error)));
      })
      .catch((error: unknown) => this.#deps.log.error("import.failed", { message: describeError(error) }))
      .finally(() => {
        this.#working.delete(working);
        this.#canceled.delete(id);
      });
    this.#working.add(working);
  }

  #report(id: string, state: DocumentJson): Promise<void> {
    return change(this.#deps.engine, (transaction) => {
      patch(transaction, id, { state });
    });
  }
}

function open({ file, format, component, table }: ImportRequest): Promise<ImportSource> {
  if (format === "zip") return zipSource(file, component);
  return Promise.resolve(tableSource(file, format, component, table ?? ""));
}

function tablesIn({ tables }: ImportPlan): string[] {
  return tables.map(({ component, table }) => (component === "" ? table : `${component}/${table}`));
}

async function dispose({ request, source }: Pick<WaitingImport, "request" | "source">): Promise<void> {
  source.close();
  await rm(request.file, { force: true });
}

function isOpen(row: DocumentJson): boolean {
  const state = (row["state"] as { readonly state?: unknown }).state;
  return state !== "completed" && state !== "failed";
}

function failed(message: string): DocumentJson {
  return { state: "failed", error_message: message };
}

function messageOf(error: unknown): string {
  if (error instanceof ImportFailure) return `Hit an error while importing:\n${error.message}`;
  return `The import failed: ${errorMessage(error)}`;
}
