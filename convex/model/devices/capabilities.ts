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

/** Capabilities without some models. */
export function withoutModels(capabilities: Capabilities, models: readonly string[]): Capabilities {
  if (models.length === 0) return capabilities;
  const { models: offered, contexts } = capabilities;
  return {
    ...capabilities,
    ...(offered === undefined ? {} : { models: offered.filter((model) => !models.includes(model)) }),
    ...(contexts === undefined ? {} : { contexts: contexts.filter(({ model }) => !models.includes(model)) }),
  };
}

type Context = NonNullable<Capabilities["contexts"]>[number];

function visibleContext({ model, contextTokens }: Context): Context {
  return { model: visibleText(model), contextTokens };
}
