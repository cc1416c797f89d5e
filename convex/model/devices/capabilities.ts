import type { capabilities } from "@gleaner/queue/validators";
import type { Infer } from "convex/values";
import { visibleText } from "../../../app/format/visible.ts";

type Capabilities = Infer<typeof capabilities>;

/** A device's capabilities with a sign for each hidden character. They are not refused, since no person could correct them. */
export function visibleCapabilities({
  kinds,
  models,
  contexts,
  tags,
  speeds,
  ...figures
}: Capabilities): Capabilities {
  return {
    ...figures,
    kinds: kinds.map(visibleText),
    ...(models === undefined ? {} : { models: models.map(visibleText) }),
    ...(contexts === undefined ? {} : { contexts: contexts.map(visibleContext) }),
    ...(speeds === undefined
      ? {}
      : { speeds: speeds.map(({ of, ...speed }) => ({ ...speed, of: visibleText(of) })) }),
    ...(tags === undefined ? {} : { tags: tags.map(visibleText) }),
  };
}

type Context = NonNullable<Capabilities["contexts"]>[number];

function visibleContext({ model, contextTokens }: Context): Context {
  return { model: visibleText(model), contextTokens };
}
