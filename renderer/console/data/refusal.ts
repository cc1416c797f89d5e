import { ConvexError } from "convex/values";
import * as z from "zod";
import { refusedAct } from "../../../app/people/refused-act.ts";
import { sayServerSentence } from "./server-sentences.ts";

const refusalSchema = z.object({ code: z.string(), message: z.string() });

/** The backend's refusal inside a thrown error. Null for any other error. */
export function refusalOf(error: unknown): { readonly code: string; readonly message: string } | null {
  if (!(error instanceof ConvexError)) return null;
  const parsed = refusalSchema.safeParse(error.data);
  return parsed.success ? parsed.data : null;
}

/** The error in a sentence for a person, in the language of this page. */
export function messageOf(error: unknown): string {
  const refusal = refusalOf(error);
  return refusal === null
    ? "Something went wrong. Try again in a moment."
    : sayServerSentence(refusal.message);
}

/** The answer of a member's mutation. Throws if it says that the member may not do this. */
export function unlessRefused<Answer>(answer: Answer): Answer {
  const refused = refusedAct(answer);
  if (refused !== null) throw new ConvexError(refused);
  return answer;
}
