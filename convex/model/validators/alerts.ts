import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { deviceConcerns, fleetConcerns } from "../../../app/devices/attention.ts";

/** Something that needs attention: app/devices/attention.ts. `told`: it has lasted long enough to be shown. */
export const attentionItem = v.object({
  kind: literals(...deviceConcerns, ...fleetConcerns),
  subject: v.string(),
  count: v.number(),
  since: v.number(),
  told: v.boolean(),
});

/** Something that a mail tells: one sentence, and for what is not over the act that mends it and a link to it. */
export const alertNews = v.object({
  sentence: v.string(),
  act: v.string(),
  link: v.string(),
  /** ms epoch. */
  since: v.number(),
});
