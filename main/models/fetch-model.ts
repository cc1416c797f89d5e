import type { Reply } from "../../app/contract/donor-calls.ts";
import type { ModelStore } from "./model-store.ts";

/** For `gleaner models fetch`. */
export async function fetchModel(store: ModelStore, modelId: string): Promise<Reply> {
  const answer = await store.fetch(modelId);
  if (answer.kind === "ok") return { kind: "ok", value: null };
  return { kind: "refused", message: "The organization offers this computer no model of that name." };
}
