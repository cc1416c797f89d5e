import type { ComponentApi as BetterAuth } from "@convex-dev/better-auth/_generated/component.js";
import { componentsGeneric } from "convex/server";

export const components = componentsGeneric() as unknown as { readonly betterAuth: BetterAuth<"betterAuth"> };
