import type { ModelView } from "../../app/contract/snapshot.ts";
import type { OfferedModel } from "../../app/models/catalog-entry.ts";
import type { WaitReason } from "../../app/models/wait-reasons.ts";
import type { ActiveDownload } from "./active-download.ts";
import type { ModelState } from "./catalog.ts";
import type { DownloadError } from "./download-errors.ts";

/** The inputs of a model's view. */
export type ModelStanding = {
  /** The state of its file in the catalog. */
  readonly state: ModelState;
  /** Its download, if it is the current one. */
  readonly download: Pick<ActiveDownload, "heldBytes" | "bytesPerSecond"> | null;
  /** Bytes from earlier runs. */
  readonly partBytes: number;
  /** The donor removed it from this computer. */
  readonly isRefused: boolean;
  /** It will be downloaded from this source. */
  readonly isWanted: boolean;
  readonly trouble: Pick<DownloadError, "why" | "detail"> | null;
  /** The reason why models may not use the network now. */
  readonly hold: WaitReason | null;
  /** The reason why the internet may not be used, although the network may. */
  readonly internetHold: WaitReason | null;
};

const notComing: ReadonlySet<WaitReason> = new Set(["no-source", "removed"]);

/** Describes an offered model on this device for the donor and the organization. Pure. */
export function viewOf(model: OfferedModel, standing: ModelStanding): ModelView {
  const { modelId, sizeBytes } = model;
  const { state, download, hold, partBytes } = standing;
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
  const why = whyNot(model, standing);
  if (why === null) return { modelId, sizeBytes, state };
  if (notComing.has(why.reason)) return { modelId, sizeBytes, state, why };
  return { modelId, sizeBytes, state: "waiting", downloadedBytes: partBytes, why };
}

function whyNot(
  { source }: OfferedModel,
  { isRefused, isWanted, trouble, hold, internetHold }: ModelStanding,
): NonNullable<ModelView["why"]> | null {
  if (source === "bundled") return { reason: "no-source", detail: null };
  if (isRefused) return { reason: "removed", detail: null };
  if (!isWanted) return null;
  if (trouble !== null && (hold === null || trouble.why === "wrong-content")) {
    return { reason: trouble.why, detail: trouble.detail };
  }
  return { reason: hold ?? internetHold ?? "turn", detail: null };
}
