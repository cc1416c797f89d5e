import type { ModelView } from "../../app/contract/snapshot.ts";
import type { OfferedModel } from "../../app/models/catalogue-entry.ts";
import type { WaitReason } from "../../app/models/wait-reasons.ts";
import type { ActiveDownload } from "./active-download.ts";
import type { ModelState } from "./catalogue.ts";
import type { Trouble } from "./troubles.ts";

/** What decides how a model that is offered is shown. */
export type ModelStanding = {
  /** Of its file in the catalogue. */
  readonly state: ModelState;
  /** Its own download, if it is the one under way. */
  readonly download: Pick<ActiveDownload, "heldBytes" | "bytesPerSecond"> | null;
  /** What of it came before. */
  readonly partBytes: number;
  /** Its person took it off this computer. */
  readonly isRefused: boolean;
  /** It is still offered from this source, and is to come. */
  readonly isWanted: boolean;
  readonly trouble: Pick<Trouble, "why" | "detail"> | null;
  /** Why models may not move over the network now. */
  readonly hold: WaitReason | null;
  /** Why the internet may not be used, although the network may. */
  readonly internetHold: WaitReason | null;
};

const notComing: ReadonlySet<WaitReason> = new Set(["no-source", "removed"]);

/** How a model that the organization offers stands on this device, as its person and the organization are shown it. Pure. */
export function viewOf(model: OfferedModel, standing: ModelStanding): ModelView {
  const { modelId, sizeBytes } = model;
  const { state, download, hold, partBytes } = standing;
  if (state !== "missing") return { modelId, sizeBytes, state };
  if (download !== null && hold === null) {
    const { heldBytes: downloadedBytes, bytesPerSecond } = download;
    const coming = downloadedBytes < sizeBytes;
    return {
      ...{ modelId, sizeBytes, downloadedBytes, bytesPerSecond },
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
