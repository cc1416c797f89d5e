import type { ComponentApi } from "@convex-dev/rate-limiter/_generated/component.js";
import type { QueueComponent } from "@gleaner/queue";
import { componentsGeneric } from "convex/server";

/** What `convex.config.ts` installs. Written by hand, since the types are generated without a deployment. */
export const components = componentsGeneric() as unknown as {
  readonly rateLimiter: ComponentApi<"rateLimiter">;
  readonly queue: QueueComponent;
};
