import type { ReactNode } from "react";
import { sayDonorSentence } from "../../../app/contract/sentences/donor-sentences.ts";
import type { OrganizationView } from "../../../app/contract/snapshot.ts";
import { limitWords } from "../../../app/devices/limits.ts";

type Props = { readonly organization: OrganizationView | null };

/** Why the organization's list is refused, or that it is empty. */
export function ListProblem({
  organization,
  isEmpty,
  isProblemShown,
}: Props & {
  readonly isEmpty: boolean;
  /** The status shows already why the list was refused. */
  readonly isProblemShown: boolean;
}): ReactNode {
  const problem = organization?.problem ?? null;
  return (
    <>
      {problem === null || isProblemShown ? null : (
        <p role="alert" className="mb-3 rounded-md bg-hold-tint px-3 py-2">
          {sayDonorSentence(organization?.problemSaid, problem)}
        </p>
      )}
      {!isEmpty || (problem !== null && !isProblemShown) ? null : (
        <p className="text-muted">
          {problem === null
            ? "Your organization offers this computer no model."
            : "There is no list that this computer accepts."}
        </p>
      )}
    </>
  );
}

/** Names the models that come later, the organization's limits, and the key that signed the list. */
export function ListNotes({ organization }: Props): ReactNode {
  const { keyFingerprint = null, problem = null, heldBack = [] } = organization ?? {};
  const limits = limitWords(organization?.limits ?? {});
  return (
    <>
      {heldBack.length === 0 ? null : (
        <p className="mt-2 text-xs wrap-anywhere text-muted">
          Your organization gives these models to other computers first: {heldBack.join(", ")}.
        </p>
      )}
      {limits.length === 0 ? null : (
        <p className="mt-2 text-xs text-muted">
          Your organization limits this computer: {limits.join("; ")}.
        </p>
      )}
      {keyFingerprint === null ? null : (
        <p className="mt-2 text-xs text-muted">
          {problem === null ? "Signed by your" : "Your"} organization’s key {keyFingerprint}
        </p>
      )}
    </>
  );
}
