import type { ComponentApi as Workpool } from "@convex-dev/workpool/_generated/component.js";
import { componentsGeneric } from "convex/server";

export const components = componentsGeneric() as unknown as {
  readonly emails: Workpool<"emails">;
  readonly serial: Workpool<"serial">;
};
