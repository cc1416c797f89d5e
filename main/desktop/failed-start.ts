import { sayStartSentence, type StartSentence } from "../../app/contract/sentences/start-sentences.ts";

/** Why the program cannot start: what its person has to mend, wrong options, or an error that nobody expected. */
export type FailedStart =
  | { readonly kind: "refused"; readonly sentence: StartSentence }
  | { readonly kind: "options"; readonly why: string }
  | { readonly kind: "error"; readonly why: string };

/** The dialog of a program that cannot start. */
export function startFailed(failed: FailedStart): { readonly message: string; readonly detail: string } {
  return { message: "Gleaner cannot start", detail: detailOf(failed) };
}

function detailOf(failed: FailedStart): string {
  switch (failed.kind) {
    case "refused":
      return sayStartSentence(failed.sentence);
    case "options":
      return `Gleaner was started with a wrong option (${failed.why}). Start it from the menu of your programs, or tell your administrator.`;
    case "error":
      return `Something happened that Gleaner did not expect (${failed.why}). Start it again. If that does not help, tell your administrator.`;
  }
}
