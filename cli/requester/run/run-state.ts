import { rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { lockFolder } from "../../../main/store/folder-lock.ts";
import { loadJson, saveJson } from "../../../main/store/json-file.ts";
import { StartRefusal } from "../../../main/store/start-refusal.ts";
import { CommandError } from "../../command/command.ts";
import { tableFormats } from "./rows.ts";

const count = z.number().int().nonnegative();

const settings = z.object({
  input: z.string(),
  inputSha256: z.string(),
  format: z.enum(tableFormats),
  template: z.string(),
  system: z.string().nullable(),
  model: z.string(),
  maxTokens: z.number().nullable(),
  temperature: z.number().nullable(),
  /** Requirements on devices, as the API's header has them. Empty in a run of an earlier version. */
  requires: z.string().default(""),
  within: z.string(),
  /** The column of the answers. */
  column: z.string(),
  /** How many rows are tried first. */
  first: count,
  outputFormat: z.enum(tableFormats),
});
/** The choices of a run. Another run with the same output must have the same. */
export type RunSettings = z.output<typeof settings>;

const stateSchema = z.object({
  version: z.literal(1),
  /** Random. The idempotency keys of all its calls begin with it. */
  id: z.string(),
  /** The server that has its batches. */
  url: z.string(),
  settings,
  rows: count,
  columns: z.array(z.string()),
  parts: z.array(
    z.object({
      from: count,
      to: count,
      bytes: count,
      /** Of its uploaded requests. Null: not uploaded yet. */
      fileId: z.string().nullable(),
      /** Null: not submitted yet. */
      batchId: z.string().nullable(),
    }),
  ),
  /** Whether the person wants the rows after the first ones. */
  isAgreed: z.boolean(),
  /** The complete rows in the output, and its size up to there. What follows is of a write that was cut off. */
  written: z.object({ rows: count, bytes: count, failed: count }),
  /** The cost of the rows that were tried first, in micro-credits. */
  firstPriceMicro: z.string(),
});
/** How far a run is. */
export type RunState = z.output<typeof stateSchema>;

/** The folder of a run's state, beside its output. It exists until the run is complete. */
export function stateFolder(output: string): string {
  return `${output}.run`;
}

/** The state of one run, for the only process that works on it. Changes are saved before the calls that depend on them. */
export class RunRecord {
  readonly #folder: string;
  state: RunState;

  constructor(output: string, state: RunState) {
    this.#folder = stateFolder(output);
    this.state = state;
  }

  async save(changes: Partial<RunState>): Promise<void> {
    this.state = { ...this.state, ...changes };
    await saveJson(join(this.#folder, "state.json"), this.state);
  }

  async savePart(index: number, changes: Partial<RunState["parts"][number]>): Promise<void> {
    await this.save({
      parts: this.state.parts.map((part, each) => (each === index ? { ...part, ...changes } : part)),
    });
  }

  /** Call it when the run is complete. */
  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/**
 * Reserves an output for this process, and loads the state of its run. Null: no run was begun. Rejects with a CommandError while
 * another process works on it.
 */
export async function claimRun(output: string): Promise<RunState | null> {
  const folder = stateFolder(output);
  try {
    await lockFolder(folder);
    const loaded = await loadJson(join(folder, "state.json"), stateSchema, 1);
    if (loaded.kind !== "corrupt") return loaded.kind === "loaded" ? loaded.value : null;
    throw new CommandError(`The state of the run was damaged. It is kept as ${loaded.movedTo}.`);
  } catch (error) {
    throw error instanceof StartRefusal ? new CommandError(error.message) : error;
  }
}
