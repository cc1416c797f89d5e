import type { AgentComponent } from "@convex-dev/agent";
import { componentsGeneric } from "convex/server";

export const components = componentsGeneric() as unknown as { readonly agent: AgentComponent };
