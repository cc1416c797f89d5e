import { createHash } from "node:crypto";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import { isTrue } from "../../app/facts/facts.ts";
import type { Release } from "../../app/signatures/release.ts";
import { isOlder } from "../../app/versions.ts";

type Own = {
  readonly version: string;
  /** A random text of this computer. It decides when a release in stages reaches it. */
  readonly seed: string;
  /** The version that did not work here. */
  readonly rolledBack: string | null;
  /** The version that the organization asks for or requires. */
  readonly asked: string | null;
};

/**
 * Whether this computer takes the release. One that is asked for a version does not wait for its stage. A version that was
 * rolled back is not tried again.
 */
export function takesRelease(release: Pick<Release, "version" | "percent">, own: Own): boolean {
  if (!isOlder(own.version, release.version)) return false;
  if (own.rolledBack !== null && !isOlder(own.rolledBack, release.version)) return false;
  if (own.asked !== null && !isOlder(release.version, own.asked)) return true;
  return stageOf(own.seed, release.version) < release.percent;
}

/** From 0 to below 100. It differs from version to version, so that other computers are the first each time. */
function stageOf(seed: string, version: string): number {
  const hash = createHash("sha256").update(`${seed} ${version}`).digest();
  return (hash.readUInt32BE(0) / 2 ** 32) * 100;
}

/** The version that the organization asks for, or without which it gives no jobs. */
export function askedOf({ organization }: Pick<DonorSnapshot, "organization">): string | null {
  return organization?.needsVersion ?? organization?.askedVersion ?? null;
}

type Seen = Pick<DonorSnapshot, "facts" | "rules" | "work">;

/** Whether a file of the size of the program may be fetched now. */
export function mayDownload({ facts }: Pick<Seen, "facts">): boolean {
  return !isTrue(facts.metered) && !(facts.power.known && facts.power.value === "battery");
}

/**
 * Why a new version is not installed now, or null if it disturbs nobody. A person's own click needs no such moment.
 */
export function disturbs({ facts, rules, work }: Seen): "job" | "presentation" | "in-use" | null {
  if (work !== null) return "job";
  const { fullScreen, cameraInUse, microphoneInUse, mediaPlaying, idleSeconds, locked } = facts;
  if ([fullScreen, cameraInUse, microphoneInUse, mediaPlaying].some(isTrue)) return "presentation";
  // It donates while somebody uses the computer, because nobody sits there, or because they want that.
  if (!rules.requireIdle || isTrue(locked)) return null;
  return idleSeconds.known && idleSeconds.value >= rules.idleAfterSeconds ? null : "in-use";
}
