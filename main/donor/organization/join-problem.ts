import type { DonorProblem } from "../../../app/contract/membership.ts";
import { standbyReasons } from "../../../app/policy/reasons.ts";
import type { ConnectFailure } from "../../connection/connect-failure.ts";

type Joining = {
  /** The backend's address. */
  readonly url: string;
  readonly isEnrolled: boolean;
  /** Whether the backend could not be reached for a while, and why. */
  readonly isOffline: boolean;
  readonly failure: ConnectFailure | null;
  /** The organization knows this device by another signing key. */
  readonly hasOtherKey: boolean;
  /** The words for the last code that was refused for good. */
  readonly refusedCode: string | null;
  /** The new name of a damaged device.json. */
  readonly damagedFile: string | null;
  /** An enrollment code was given, and its answer is still to come. */
  readonly hasCode: boolean;
};

/** Why this computer cannot join or reach its organization, with words for its person. Null if nothing is wrong. */
export function joinProblem(joining: Joining): DonorProblem | null {
  const { url, isEnrolled, isOffline, failure, hasOtherKey, refusedCode, damagedFile, hasCode } = joining;
  if (isOffline && failure !== null) return connectProblem(failure, url, isEnrolled);
  if (isEnrolled) {
    if (!hasOtherKey) return null;
    return { kind: "other-key", sentence: standbyReasons["other-key"].sentence, remedy: "restart" };
  }
  if (refusedCode !== null) return { kind: "code-refused", sentence: refusedCode, remedy: "code" };
  if (damagedFile === null || hasCode) return null;
  const sentence =
    "device.json was damaged, so this computer lost its place in the organization. " +
    `The damaged file is now ${damagedFile}. Restore device.json from a backup, or join as a new device with a new ` +
    "enrollment code.";
  return { kind: "identity-damaged", sentence, remedy: "code" };
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
        ? { kind: "wrong-server", sentence: standbyReasons["wrong-server"].sentence, remedy: "restart" }
        : {
            kind: "wrong-server",
            sentence:
              `This may not be your organization's server, so Gleaner sent nothing to it. Tell your administrator: ` +
              `${server} has another key than the one in --pin. A pin is the hash of the server's key, not the ` +
              "fingerprint of the certificate that a browser shows.",
            remedy: "restart",
          };
    case "untrusted":
      return {
        kind: "untrusted-server",
        sentence:
          `This computer cannot tell whether ${server} is your organization's server, so Gleaner sent nothing to it. Ask ` +
          "your administrator for an invitation link, or for the server's pin: --pin sha256:… Without a pin, the " +
          "server's certificate has to be from an authority that this computer trusts; NODE_EXTRA_CA_CERTS adds one.",
        remedy: "restart",
      };
    case "other-name": {
      const words = `The certificate of ${server} is for another name, so nothing was sent.`;
      return isEnrolled
        ? {
            kind: "other-name",
            sentence: `${words} Check the address (--backend), or tell your administrator. Gleaner keeps trying.`,
            remedy: "wait",
          }
        : {
            kind: "other-name",
            sentence: `${words} Check --backend: its address is the one in the command that your administrator gave you.`,
            remedy: "restart",
          };
    }
    case "expired":
      return {
        kind: "untrusted-server",
        sentence:
          `The certificate of ${server} ${failure.because}. Check this computer's clock, or tell your administrator. ` +
          "Gleaner keeps trying.",
        remedy: "wait",
      };
    case "no-backend":
      return {
        kind: "no-backend",
        sentence:
          `${server} is no backend of Gleaner (${failure.because}). Check --backend: its address is the one in the ` +
          "command that your administrator gave you, not the console's. Gleaner keeps trying.",
        remedy: "wait",
      };
    case "unreachable":
      return {
        kind: "unreachable",
        sentence: `${server} cannot be reached (${failure.because}). Gleaner keeps trying.`,
        remedy: "wait",
      };
  }
}
