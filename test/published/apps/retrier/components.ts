import type { ComponentApi as ActionRetrier } from "@convex-dev/action-retrier/_generated/component.js";
import { componentsGeneric } from "convex/server";

export const components = componentsGeneric() as unknown as {
  readonly actionRetrier: ActionRetrier<"actionRetrier">;
};
