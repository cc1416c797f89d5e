import * as z from "zod";
import { priorityFields } from "../../fields/batches.ts";
import type { JobPriority } from "../priority.ts";
import { type BodyParse, parseBody, requestBody } from "./parse-body.ts";
import { priorityOf } from "./parse-sampling.ts";

export const priorityBody = requestBody(priorityFields, {
  service_tier: z.enum(["priority", "default", "auto", "flex"]),
});

export type AskedPriority = { readonly tier: string; readonly priority: JobPriority };

/** Parses the body of a call that changes a job's priority. Unlike a new job's, its tier must be known. */
export function parsePriority(json: string): BodyParse<AskedPriority> {
  const parsed = parseBody(priorityBody, json);
  if (parsed.kind === "refused") return parsed;
  const { service_tier: tier } = parsed.asked;
  return { kind: "parsed", asked: { tier, priority: priorityOf(tier) } };
}
