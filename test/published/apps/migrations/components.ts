import type { ComponentApi as Migrations } from "@convex-dev/migrations/_generated/component.js";
import { componentsGeneric } from "convex/server";

export const components = componentsGeneric() as unknown as { readonly migrations: Migrations<"migrations"> };
