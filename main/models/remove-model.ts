import type { Reply } from "../../app/contract/ipc.ts";
import type { ModelStore } from "./model-store.ts";

/** For `gleaner models remove`. */
export async function removeModel(store: ModelStore, modelId: string): Promise<Reply> {
  const answer = await store.remove(modelId);
  if (answer.kind === "ok") return { kind: "ok", value: null };
  const message =
    answer.reason === "running"
      ? "A job uses this model now. Pause first, then remove it."
      : "No such model was downloaded to this computer. Models that came with the program stay.";
  return { kind: "refused", message };
}
