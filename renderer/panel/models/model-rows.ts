import type { CallAnswer } from "../../../app/contract/donor-calls.ts";
import type { DonorSnapshot, ModelView } from "../../../app/contract/snapshot.ts";

type Listed = CallAnswer<"models">["models"][number];

/** A model that the organization offers, or whose file is still here. */
export type ModelRow = Pick<Listed, "modelId" | "lastUsedAt" | "speed"> & {
  /** Its state now. */
  readonly view: ModelView;
  readonly isBundled: boolean;
  /** Whether the organization offers it to this computer. */
  readonly isOffered: boolean;
  /** The bytes that it takes of the disk, of the file or of a part of it. */
  readonly diskBytes: number;
  readonly canRemove: boolean;
  readonly canFetch: boolean;
};

/** States in which the whole file is here. */
const whole: ReadonlySet<ModelView["state"]> = new Set(["ready", "verifying", "corrupt"]);

/**
 * The donor's list with what the snapshot knows since then. Pure.
 * @param views of the offered models, from the snapshot. They follow a download.
 */
export function modelRows(listed: readonly Listed[], views: DonorSnapshot["models"]): readonly ModelRow[] {
  return listed.map(({ modelId, sizeBytes, state, isBundled = false, lastUsedAt, speed }) => {
    const offered = views.find((view) => view.modelId === modelId);
    const view = offered ?? { modelId, sizeBytes, state: state as ModelView["state"] };
    const diskBytes = whole.has(view.state) ? sizeBytes : (view.downloadedBytes ?? 0);
    const isWaiting = view.state === "waiting" || view.state === "downloading";
    return {
      modelId,
      lastUsedAt,
      speed,
      view,
      isBundled,
      isOffered: offered !== undefined,
      diskBytes,
      canRemove: !isBundled && (diskBytes > 0 || isWaiting),
      canFetch: view.why !== undefined && refetched.has(view.why.reason),
    };
  });
}

/** Reasons that a person can end by fetching the model again. */
const refetched: ReadonlySet<NonNullable<ModelView["why"]>["reason"]> = new Set([
  "removed",
  "unreachable",
  "source-refused",
  "wrong-content",
  "disk-error",
  "disk-full",
  "over-quota",
]);

/** The bytes that the downloaded models take. Those that came with the program do not count. */
export function usedBytes(rows: readonly ModelRow[]): number {
  return rows.reduce((sum, { isBundled, diskBytes }) => sum + (isBundled ? 0 : diskBytes), 0);
}
