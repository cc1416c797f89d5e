import type { ComponentApi as Presence } from "@convex-dev/presence/_generated/component.js";
import { componentsGeneric } from "convex/server";

export const components = componentsGeneric() as unknown as { readonly presence: Presence<"presence"> };
