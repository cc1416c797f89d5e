import { done, type Refusal, refusedFor, type Reply } from "../../../app/contract/donor-calls.ts";
import type { Trust } from "../../connection/trust.ts";
import { errorName, type Log } from "../../log.ts";
import type { IdentityStore } from "./identity.ts";
import type { EnrollOutcome, Me, Organization } from "./organization.ts";

type EnrollmentDeps = {
  readonly organization: Pick<Organization, "enroll" | "registerSigningKey">;
  readonly identity: IdentityStore;
  /** The backend's address and how the device trusts it, for the next start. */
  readonly server: string;
  readonly backendTrust: Trust;
  /** The device's name in the organization. */
  readonly name: string;
  /** Why the backend cannot be reached; null if it can. */
  readonly unreachable: () => Refusal | null;
  readonly onEnrolled: () => void;
  /** `refusedCode` has changed. */
  readonly onRefusedCode: () => void;
  readonly log: Log;
};

/** Enrolls this device with a code and stores its organization for the next start. */
export class Enrollment {
  readonly #deps: EnrollmentDeps;
  #refusedCode: RefusedCode | null = null;

  constructor(deps: EnrollmentDeps) {
    this.#deps = deps;
  }

  /** Why the last code was refused, if it was refused for good. */
  get refusedCode(): RefusedCode | null {
    return this.#refusedCode;
  }

  /** Never rejects. A failure is a refusal with words for the person who typed the code. */
  async enroll(code: string): Promise<Reply> {
    const { organization, identity, name, unreachable, onEnrolled, log } = this.#deps;
    this.#setRefusedCode(null);
    const why = unreachable();
    if (why !== null) return why;
    try {
      const outcome = await organization.enroll(code, name, `${process.platform} ${process.arch}`);
      if (outcome.kind === "refused") {
        this.#setRefusedCode(outcome.reason);
        return refusedFor(outcome.reason);
      }
      // Enrolling is the moment at which a person trusts the organization, so its key replaces an earlier one.
      const { organizationKey } = outcome;
      await this.#save(() =>
        identity.pin(organizationKey === null ? null : { publicKey: organizationKey, version: 0 }),
      );
      await this.remember({ deviceId: outcome.deviceId, organizationName: outcome.organization });
      onEnrolled();
      return done;
    } catch (error) {
      log("warn", "enroll.failed", { error: errorName(error) });
      return refusedFor("enrollment-refused");
    }
  }

  /** Registers the signing key of a device that enrolled before devices had one. Never rejects. */
  async registerSigningKey(): Promise<void> {
    try {
      await this.#deps.organization.registerSigningKey();
    } catch (error) {
      this.#deps.log("error", "signing-key.refused", { error: errorName(error) });
    }
  }

  /** Stores the organization for the next start. A retired device is not told the name, and keeps the earlier one. */
  async remember({ deviceId, organizationName }: Pick<Me, "deviceId" | "organizationName">): Promise<void> {
    if (organizationName === null) return;
    const { identity, server, backendTrust: trust } = this.#deps;
    await this.#save(() => identity.setEnrollment({ deviceId, organizationName, server, trust }));
  }

  #setRefusedCode(reason: RefusedCode | null): void {
    if (reason === this.#refusedCode) return;
    this.#refusedCode = reason;
    this.#deps.onRefusedCode();
  }

  async #save(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#deps.log("error", "identity.not-saved", { error: errorName(error) });
    }
  }
}

/** Why a server refuses an enrollment code. Each has a sentence of this name. */
export type RefusedCode = Extract<EnrollOutcome, { kind: "refused" }>["reason"];
