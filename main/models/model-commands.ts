import type { Reply } from "../../app/contract/donor-calls.ts";
import type { ModelStore } from "./model-store.ts";

/** Implements `gleaner models fetch`. */
export async function fetchModel(store: ModelStore, modelId: string): Promise<Reply> {
  const answer = await store.fetch(modelId);
  if (answer.kind === "ok") return { kind: "ok", value: null };
  return { kind: "refused", message: "The organization offers no model of this name to this computer." };
}

/** Implements `gleaner models remove`. */
export async function removeModel(store: ModelStore, modelId: string): Promise<Reply> {
  const cameWithProgram = store
    .list()
    .some((model) => model.modelId === modelId && model.state === "ready" && !store.wholeFile(model.sha256));
  if (cameWithProgram) return refused("This model came with the program, and stays.");
  const answer = await store.remove(modelId);
  if (answer.kind === "ok") return { kind: "ok", value: null };
  return refused(
    answer.reason === "running"
      ? "A job uses this model now. Pause first, then remove it."
      : "There is no such model on this computer.",
  );
}

function refused(message: string): Reply {
  return { kind: "refused", message };
}
