import type { ModelView } from "../../app/contract/snapshot.ts";
import type { OfferedModel } from "../../app/models/catalog-entry.ts";
import type { FileState } from "../../app/models/states.ts";
import type { WaitReason } from "../../app/models/wait-reasons.ts";
import type { ActiveDownload } from "./active-download.ts";
import type { WantedModel } from "./catalog.ts";
import type { DownloadError } from "./download-errors.ts";
import type { StoredModel } from "./stored-models.ts";

/** The inputs of a model's view. */
export type ModelViewInputs = {
  /** The state of its file in the catalog. */
  readonly state: FileState;
  /** Its download, if it is the current one. */
  readonly download: Pick<ActiveDownload, "heldBytes" | "bytesPerSecond"> | null;
  /** Bytes from earlier runs. */
  readonly partBytes: number;
  /** The donor removed it from this computer. */
  readonly isRefused: boolean;
  /** It will be downloaded from this source. */
  readonly isWanted: boolean;
  readonly error: Pick<DownloadError, "why" | "detail"> | null;
  /** The reason why models may not use the network now. */
  readonly hold: WaitReason | null;
  /** The reason why the internet may not be used, although the network may. */
  readonly internetHold: WaitReason | null;
};

const notComing: ReadonlySet<WaitReason> = new Set(["no-source", "removed"]);

/** Describes an offered model on this device for the donor and the organization. Pure. */
export function viewOf(model: OfferedModel, inputs: ModelViewInputs): ModelView {
  const { modelId, sizeBytes } = model;
  const { state, download, hold, partBytes } = inputs;
  if (state !== "missing") return { modelId, sizeBytes, state };
  if (download !== null && hold === null) {
    const { heldBytes: downloadedBytes, bytesPerSecond } = download;
    const coming = downloadedBytes < sizeBytes;
    return {
      modelId,
      sizeBytes,
      downloadedBytes,
      bytesPerSecond,
      state: coming ? "downloading" : "verifying",
    };
  }
  const why = whyNot(model, inputs);
  if (why === null) return { modelId, sizeBytes, state };
  if (notComing.has(why.reason)) return { modelId, sizeBytes, state, why };
  return { modelId, sizeBytes, state: "waiting", downloadedBytes: partBytes, why };
}

function whyNot(
  { source }: OfferedModel,
  { isRefused, isWanted, error, hold, internetHold }: ModelViewInputs,
): NonNullable<ModelView["why"]> | null {
  if (source === "bundled") return { reason: "no-source", detail: null };
  if (isRefused) return { reason: "removed", detail: null };
  if (!isWanted) return null;
  if (error !== null && (hold === null || error.why === "wrong-content")) {
    return { reason: error.why, detail: error.detail };
  }
  return { reason: hold ?? internetHold ?? "turn", detail: null };
}

/** A model that is offered or still on this device's disk, for `gleaner downloads`. */
export type ListedModel = ModelView & { readonly sha256: string; readonly lastUsedAt: number | null };

/** The offered models, and after them the stored files of other models. Pure. */
export function listModels(
  offered: readonly (ModelView & { readonly sha256: string })[],
  files: ReadonlyMap<string, StoredModel>,
  stateOf: (model: WantedModel) => FileState,
): readonly ListedModel[] {
  const offeredHashes = new Set(offered.map(({ sha256 }) => sha256));
  const others = [...files].filter(([sha256]) => !offeredHashes.has(sha256));
  return [
    ...offered.map((view) => ({ ...view, lastUsedAt: files.get(view.sha256)?.lastUsedAt ?? null })),
    ...others.map(([sha256, { modelId, sizeBytes, lastUsedAt }]) => {
      return { modelId, sizeBytes, sha256, lastUsedAt, state: stateOf({ modelId, sizeBytes, sha256 }) };
    }),
  ];
}
