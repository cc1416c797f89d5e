import { type ApiFromModules, componentsGeneric } from "convex/server";
import type * as letters from "./mailbox/letters.ts";

type Mailbox = ApiFromModules<{ readonly letters: typeof letters }>;

/** The components that `convex.config.ts` installs. Written by hand, since codegen needs a deployment for them. */
export const components = componentsGeneric() as unknown as {
  readonly mailbox: Mailbox;
  readonly otherMailbox: Mailbox;
};
