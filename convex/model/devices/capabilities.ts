import type { capabilities } from "@gleaner/queue/validators";
import type { Infer } from "convex/values";
import { visibleText } from "../../../app/format/visible.ts";

type Capabilities = Infer<typeof capabilities>;

/** What a device says that it can do, with a sign for each hidden character: nobody could correct the device's words. */
export function visibleCapabilities({
  kinds,
  models,
  contexts,
  tags,
  ...figures
}: Capabilities): Capabilities {
  return {
    ...figures,
    kinds: kinds.map(visibleText),
    ...(models === undefined ? {} : { models: models.map(visibleText) }),
    ...(contexts === undefined ? {} : { contexts: contexts.map(visibleContext) }),
    ...(tags === undefined ? {} : { tags: tags.map(visibleText) }),
  };
}

type Context = NonNullable<Capabilities["contexts"]>[number];

function visibleContext({ model, contextTokens }: Context): Context {
  return { model: visibleText(model), contextTokens };
}
