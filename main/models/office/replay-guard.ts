import type { Announcement } from "./announcement.ts";

/** Tolerated difference between the clocks of two devices, in ms. */
const skewMs = 300_000;
/** More devices than any office has. Memory stays bounded even if a device with the secret invents others. */
const maxSenders = 4_000;

type Sent = Pick<Announcement, "id" | "address" | "sentAt" | "ttl">;
type Last = { readonly sentAt: number; readonly until: number };

/** Tells new announcements from old ones that somebody recorded and sends again. */
export class ReplayGuard {
  readonly #last = new Map<string, Last>();

  /**
   * Takes in a signed announcement. `repeated`: not newer than the sender's last one. `wrong-clock`: its time is over, or
   * too far ahead. `full`: too many senders. @param now this computer's clock, in ms since the epoch.
   */
  check({ id, address, sentAt, ttl }: Sent, now: number): "new" | "repeated" | "wrong-clock" | "full" {
    const until = sentAt + ttl * 1_000 + skewMs;
    if (until < now || sentAt > now + skewMs) return "wrong-clock";
    const sender = `${id} ${address}`;
    const last = this.#last.get(sender);
    if (last !== undefined && sentAt <= last.sentAt) return "repeated";
    if (last === undefined && !this.#hasRoom(now)) return "full";
    // A goodbye must outlive the announcements before it, or one of those would bring the sender back.
    this.#last.set(sender, { sentAt, until: Math.max(until, last?.until ?? 0) });
    return "new";
  }

  /** Forgets senders whose announcements have all expired. Those are refused without memory. */
  #hasRoom(now: number): boolean {
    if (this.#last.size < maxSenders) return true;
    for (const [sender, { until }] of this.#last) if (until < now) this.#last.delete(sender);
    return this.#last.size < maxSenders;
  }
}
