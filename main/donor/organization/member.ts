import { UnknownWorkerError, type Unsubscribe } from "@gleaner/queue/worker";
import type { Facts } from "../../../app/facts/facts.ts";
import type { Identity } from "./identity.ts";
import { isInService, type Me, type Organization } from "./organization.ts";

/** The organization's view of this device. */
export class Member {
  readonly #organization: Pick<Organization, "onMe">;
  readonly #onChange: () => void;
  #unfollow: Unsubscribe | null = null;
  #me: Me | null = null;
  #unknownHere = false;

  constructor(organization: Pick<Organization, "onMe">, onChange: () => void) {
    this.#organization = organization;
    this.#onChange = onChange;
  }

  get me(): Me | null {
    return this.#me;
  }

  /** Whether the backend does not know this device's key. */
  get unknownHere(): boolean {
    return this.#unknownHere;
  }

  /**
   * Subscribes to the organization after each enrollment. An earlier subscription may have shown the new organization
   * before its key was pinned, and its models were refused then.
   */
  enrolled(): void {
    this.#unknownHere = false;
    const unfollow = this.#unfollow;
    this.#unfollow = this.#organization.onMe(
      (me) => this.#become(me),
      (error) => {
        if (error instanceof UnknownWorkerError) this.#become(null);
      },
    );
    unfollow?.();
  }

  stop(): void {
    this.#unfollow?.();
    this.#unfollow = null;
  }

  #become(me: Me | null): void {
    this.#me = me;
    this.#unknownHere = me === null;
    this.#onChange();
  }
}

type Membership = {
  readonly me: Pick<Me, "status" | "signingKey" | "requestedPause"> | null;
  readonly unknownHere: boolean;
};

/**
 * The membership that the backend last reported. Until it reports one, a stored enrollment counts. A newer backend may report
 * one that this version does not know: then the device does not work until it is updated.
 * @param publicKey that of the device's own signing key.
 */
export function membershipOf(
  enrollment: Identity["enrollment"],
  { me, unknownHere }: Membership,
  publicKey: string,
): Facts["membership"] {
  if (enrollment === null || unknownHere) return "none";
  if (isInService(me) && hasOtherKey(me, publicKey)) return "other-key";
  if (me?.status === "paused" && (me.requestedPause ?? null) !== null) return "paused-on-request";
  return memberships.find((known) => known === (me?.status ?? "active")) ?? "outdated";
}

const memberships = ["active", "paused", "outdated", "pending", "retired"] as const;

/** Whether the organization knows the device by another signing key. It would refuse every result. */
export function hasOtherKey(me: Pick<Me, "signingKey"> | null, publicKey: string): boolean {
  const registered = me?.signingKey ?? null;
  return registered !== null && registered !== publicKey;
}
