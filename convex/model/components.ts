import type { ComponentApi } from "@convex-dev/rate-limiter/_generated/component.js";
import type { QueueComponent } from "@gleaner/queue";
import { componentsGeneric } from "convex/server";

/** The components that `convex.config.ts` installs. Without a deployment, Convex does not generate their types. */
export const components = componentsGeneric() as unknown as {
  readonly rateLimiter: ComponentApi<"rateLimiter">;
  readonly queue: QueueComponent;
};
