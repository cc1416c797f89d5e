import { type Facts, known, unknownComputer } from "../../app/facts/facts.ts";
import type { ModelPieces, OfferedModel } from "../../app/models/catalog-entry.ts";
import { defaultRules, type Rules } from "../../app/policy/rules.ts";
import { silentLog } from "../log.ts";
import { ModelCatalog } from "./catalog.ts";
import { ModelStore, type ModelStoreDeps } from "./model-store.ts";

/** Facts of an idle member on mains power and an ordinary network. */
export const idleFacts: Facts = {
  ...unknownComputer,
  now: 1,
  minuteOfWeek: 0,
  suspended: false,
  connection: "online",
  membership: "active",
  pause: null,
  finishThenPause: false,
  donateNowUntil: null,
  gpuSampled: false,
  modelReady: true,
  idleSeconds: known(10_000),
  power: known("ac"),
};

export const roomyRules: Rules = { ...defaultRules, minFreeDiskMb: 0 };

export const shortTimes = { settleMs: 1_500, pollMs: 200, patienceMs: 5_000 };

export function offeredModel(url: string, file: { sha256: string; bytes: Buffer }): OfferedModel {
  return {
    modelId: "m",
    source: url,
    sha256: file.sha256,
    sizeBytes: file.bytes.length,
    licence: "MIT",
    contextTokens: 512,
    template: null,
  };
}

/** Opens a store with its catalog for one model. Times are short. */
export async function openStore(
  folder: string,
  pieces: ModelPieces | null,
  changed: Partial<ModelStoreDeps> = {},
): Promise<{ readonly store: ModelStore; readonly catalog: ModelCatalog }> {
  const catalog = new ModelCatalog(silentLog, 50);
  const store = await ModelStore.open({
    folder,
    catalog,
    pieces: async () => pieces,
    neighbors: () => null,
    running: () => new Set(),
    onChange: () => undefined,
    log: silentLog,
    times: shortTimes,
    ...changed,
  });
  catalog.onChange(() => store.filesChanged());
  return { store, catalog };
}
