import { UnknownWorkerError, type Unsubscribe } from "@gleaner/queue/worker";
import type { Facts } from "../../../app/facts/facts.ts";
import type { Identity } from "./identity.ts";
import type { Me, Organization } from "./organization.ts";

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

/**
 * Whether the device may say hello to the queue. One that is paused or has too old a version may: the backend takes it back
 * when it says its new version.
 */
export function isInService(me: Pick<Me, "status"> | null): boolean {
  return me !== null && me.status !== "pending" && me.status !== "retired";
}

type Membership = { readonly me: Pick<Me, "status" | "signingKey"> | null; readonly unknownHere: boolean };

/**
 * The membership that the backend last reported. Until it reports one, a stored enrollment counts.
 * @param publicKey that of the device's own signing key.
 */
export function membershipOf(
  enrollment: Identity["enrollment"],
  { me, unknownHere }: Membership,
  publicKey: string,
): Facts["membership"] {
  if (enrollment === null || unknownHere) return "none";
  if (isInService(me) && hasOtherKey(me, publicKey)) return "other-key";
  return me?.status ?? "active";
}

/** Whether the organization knows the device by another signing key. It would refuse every result. */
export function hasOtherKey(me: Pick<Me, "signingKey"> | null, publicKey: string): boolean {
  const registered = me?.signingKey ?? null;
  return registered !== null && registered !== publicKey;
}
