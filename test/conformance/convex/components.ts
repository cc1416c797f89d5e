import { type ApiFromModules, componentsGeneric } from "convex/server";
import type * as letters from "./mailbox/letters.ts";

type Mailbox = ApiFromModules<{ readonly letters: typeof letters }>;

/** What `convex.config.ts` installs. Written by hand, since the types are generated without a deployment. */
export const components = componentsGeneric() as unknown as {
  readonly mailbox: Mailbox;
  readonly otherMailbox: Mailbox;
};
