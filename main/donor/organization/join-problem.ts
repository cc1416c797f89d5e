import type { DonorProblem } from "../../../app/contract/membership.ts";
import {
  type SentenceName,
  sentenceOf,
  type SentenceValues,
  spellDonorSentence,
} from "../../../app/contract/sentences/donor-sentences.ts";
import type { ConnectFailure } from "../../connection/connect-failure.ts";
import type { RefusedCode } from "./enrollment.ts";

type Joining = {
  /** The backend's address. */
  readonly url: string;
  readonly isEnrolled: boolean;
  /** Whether the backend could not be reached for a while, and why. */
  readonly isOffline: boolean;
  readonly failure: ConnectFailure | null;
  /** The organization knows this device by another signing key. */
  readonly hasOtherKey: boolean;
  /** Why the last code was refused for good. */
  readonly refusedCode: RefusedCode | null;
  /** The new name of a damaged device.json. */
  readonly damagedFile: string | null;
  /** An enrollment code was given, and its answer is still to come. */
  readonly hasCode: boolean;
};

/** Why this computer cannot join or reach its organization, with words for its person. Null if nothing is wrong. */
export function joinProblem(joining: Joining): DonorProblem | null {
  const { url, isEnrolled, isOffline, failure, hasOtherKey, refusedCode, damagedFile, hasCode } = joining;
  if (isOffline && failure !== null) return connectProblem(failure, url, isEnrolled);
  if (isEnrolled) return hasOtherKey ? problem("other-key", "restart", "other-key") : null;
  if (refusedCode !== null) return problem("code-refused", "code", refusedCode);
  if (damagedFile === null || hasCode) return null;
  return problem("identity-damaged", "code", "identity-damaged", damagedFile);
}

/**
 * Why the last attempt to connect failed, with words for the person.
 * @param url the backend's address
 */
export function connectProblem(failure: ConnectFailure, url: string, isEnrolled: boolean): DonorProblem {
  const server = new URL(url).origin;
  switch (failure.kind) {
    case "wrong-key":
      return isEnrolled
        ? problem("wrong-server", "restart", "wrong-server")
        : problem("wrong-server", "restart", "wrong-pin", server);
    case "untrusted":
      return problem("untrusted-server", "restart", "untrusted", server);
    case "other-name":
      return isEnrolled
        ? problem("other-name", "wait", "other-name", server)
        : problem("other-name", "restart", "other-name-at-start", server);
    case "expired":
      return problem("untrusted-server", "wait", "certificate-expired", server);
    case "not-yet-valid":
      return problem("untrusted-server", "wait", "certificate-not-yet-valid", server);
    case "no-backend":
      return problem("no-backend", "wait", "no-backend", server, failure.because);
    case "unreachable":
      return problem("unreachable", "wait", "unreachable", server, failure.because);
  }
}

function problem<Name extends SentenceName>(
  kind: DonorProblem["kind"],
  remedy: DonorProblem["remedy"],
  name: Name,
  ...values: SentenceValues<Name>
): DonorProblem {
  const said = sentenceOf(name, ...values);
  return { kind, sentence: spellDonorSentence(said), said, remedy };
}
