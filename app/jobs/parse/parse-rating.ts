import * as z from "zod";
import { ratingFields } from "../../fields/batches.ts";
import { limits } from "../limits.ts";
import { type GivenRating, ratingMistake, ratingReasons, ratings } from "../rating.ts";
import { type BodyParse, parseBody, refuseField, requestBody, text } from "./parse-body.ts";

export const ratingBody = requestBody(ratingFields, {
  rating: z.enum(ratings),
  reason: z.enum(ratingReasons).nullish(),
  comment: text.max(limits.ratingCommentChars).nullish(),
  dispute: z.boolean().nullish(),
});

/** Parses the body of a call that rates an answer. An empty comment is none. */
export function parseRating(json: string): BodyParse<GivenRating> {
  const parsed = parseBody(ratingBody, json);
  if (parsed.kind === "refused") return parsed;
  const { rating, reason, comment, dispute } = parsed.asked;
  const words = comment?.trim() ?? "";
  const asked = {
    rating,
    reason: reason ?? null,
    comment: words === "" ? null : words,
    dispute: dispute ?? false,
  };
  const mistake = ratingMistake(asked);
  return mistake === null ? { kind: "parsed", asked } : refuseField(mistake.field, mistake.why);
}
