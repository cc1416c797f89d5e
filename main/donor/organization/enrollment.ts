import type { Reply } from "../../../app/contract/donor-calls.ts";
import { errorName, type Log } from "../../log.ts";
import { enrolmentRefusals } from "./enrolment-words.ts";
import type { IdentityStore } from "./identity.ts";
import type { Me, Organization } from "./organization.ts";

export type EnrollingParts = {
  readonly organization: Pick<Organization, "enroll">;
  readonly identity: IdentityStore;
  /** What the organization calls this device. */
  readonly name: string;
  readonly connected: () => boolean;
  readonly onEnrolled: () => void;
  readonly log: Log;
};

/** Enrols this device by a code, and remembers its organization for the next start. */
export class Enrolling {
  readonly #parts: EnrollingParts;

  constructor(parts: EnrollingParts) {
    this.#parts = parts;
  }

  /** Never rejects: a failure is a refusal, in words for whoever typed the code. */
  async enroll(code: string): Promise<Reply> {
    const { organization, name, connected, onEnrolled, log } = this.#parts;
    if (!connected()) {
      return refused("The organization's server cannot be reached just now. Try again later.");
    }
    try {
      const outcome = await organization.enroll(code, name, `${process.platform} ${process.arch}`);
      if (outcome.kind === "refused") return refused(enrolmentRefusals[outcome.reason]);
      await this.remember(outcome);
      onEnrolled();
      return { kind: "ok", value: null };
    } catch (error) {
      log("warn", "enrol.failed", { error: errorName(error) });
      return refused("The organization's server refused the enrolment. Try again later.");
    }
  }

  async remember({ deviceId, organizationName }: Pick<Me, "deviceId" | "organizationName">): Promise<void> {
    try {
      await this.#parts.identity.setEnrolment({ deviceId, organizationName });
    } catch (error) {
      this.#parts.log("error", "identity.not-saved", { error: errorName(error) });
    }
  }
}

function refused(message: string): Reply {
  return { kind: "refused", message };
}
