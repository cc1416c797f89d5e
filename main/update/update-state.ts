import { randomBytes } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { isVersion } from "../../app/versions.ts";
import { loadJson, saveJson } from "../store/json-file.ts";

const version = z.string().refine(isVersion);

/** The state that a restart keeps. It belongs to the program, so it stays when the computer leaves its organization. */
const updateState = z.object({
  version: z.literal(1),
  seed: z.string().min(1).max(100),
  lookedAt: z.number().nullable(),
  /** The version beside the program's file, until it has reached the backend or was rolled back. */
  trial: z.object({ version, failures: z.number().int().min(0) }).nullable(),
  rolledBack: version.nullable(),
});
export type UpdateState = z.infer<typeof updateState>;

const format = 1;

/** The state of a data folder's program. Throws a StartRefusal if the file cannot be read, or is of a newer version. */
export class UpdateStore {
  readonly #path: string;
  current: UpdateState = {
    version: format,
    seed: randomBytes(16).toString("hex"),
    lookedAt: null,
    trial: null,
    rolledBack: null,
  };

  private constructor(path: string) {
    this.#path = path;
  }

  static async open(folder: string): Promise<UpdateStore> {
    const store = new UpdateStore(join(folder, "updates.json"));
    await store.reload();
    return store;
  }

  /** Reads what another version of the program wrote. */
  async reload(): Promise<void> {
    const loaded = await loadJson(this.#path, updateState, format);
    if (loaded.kind === "loaded") this.current = loaded.value;
  }

  /** Calls must not overlap. */
  async change(change: Partial<Omit<UpdateState, "version" | "seed">>): Promise<void> {
    this.current = { ...this.current, ...change };
    await saveJson(this.#path, this.current);
  }
}
