import { v } from "convex/values";
import { internalMutation } from "./builders.ts";

/** The component's scheduled work: each entry hands over to the model, and model/references.ts names them. */
export const ping = internalMutation({ args: {}, returns: v.null(), handler: () => null });
