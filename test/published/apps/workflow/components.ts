import type { ComponentApi as Workflow } from "@convex-dev/workflow/_generated/component.js";
import { componentsGeneric } from "convex/server";

export const components = componentsGeneric() as unknown as { readonly workflow: Workflow<"workflow"> };
