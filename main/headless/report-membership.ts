import type { MembershipReport } from "../../app/contract/membership.ts";
import type { SnapshotStore } from "../face/snapshot-store.ts";

/** Reports this computer's place in its organization as soon as it is known, and at each change. */
export function reportMembership(
  snapshot: Pick<SnapshotStore, "get" | "onDelta">,
  report: (report: MembershipReport) => void,
): void {
  let last = "";
  const look = (): void => {
    const { activity, organization, device, connection, problem = null } = snapshot.get();
    if (activity.reason === "starting") return;
    const isMember = device !== null && activity.reason !== "not-enrolled";
    const next: MembershipReport = {
      membership: true,
      organization: isMember ? (organization?.name ?? null) : null,
      device: isMember ? device.name : null,
      isOnline: connection === "online",
      isRetired: activity.reason === "retired",
      problem,
    };
    const text = JSON.stringify(next);
    if (text === last) return;
    last = text;
    report(next);
  };
  snapshot.onDelta(look);
  look();
}

/**
 * Whether this computer belongs to no organization, and cannot join one without a person. A backend that was reset to an
 * older backup has forgotten a device, but it may be reset to a newer one.
 */
export function isHopeless({ device, problem }: MembershipReport, hasEnrollment: boolean): boolean {
  return !hasEnrollment && device === null && problem !== null && problem.remedy !== "wait";
}
