import type { ComponentApi as Streaming } from "@convex-dev/persistent-text-streaming/_generated/component.js";
import { componentsGeneric } from "convex/server";

export const components = componentsGeneric() as unknown as {
  readonly persistentTextStreaming: Streaming<"persistentTextStreaming">;
};
