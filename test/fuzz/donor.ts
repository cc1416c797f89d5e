import { join } from "node:path";
import fc from "fast-check";
import { calls, replyFrame } from "../../app/contract/donor-calls.ts";
import type { Child } from "../../launch/core/child.ts";
import type { Farm } from "../../launch/farm/farm.ts";
import { callDonor } from "../../main/face/local-socket/client.ts";
import { hostileJson, hostileText, spoiled } from "./hostile.ts";
import type { Json } from "./target.ts";
import { within } from "./within.ts";

/** A donor that hostile callers of its control socket and of its panel call. */
export type AttackedDonor = {
  readonly child: Child;
  readonly folder: string;
  /** Throws unless it still runs and answers a normal call. */
  readonly checkAlive: () => Promise<void>;
};

export async function startAttackedDonor(farm: Farm, name: string): Promise<AttackedDonor> {
  const child = await farm.startDonor(name);
  const folder = join(farm.folder.donorFolder, name);
  let ended = false;
  void child.ended.then(() => (ended = true));
  return {
    child,
    folder,
    checkAlive: async () => {
      if (ended) throw new Error("the donor ended");
      const status = await within("the donor's status", callDonor(folder, "status", null));
      if (status.kind !== "ok")
        throw new Error(`the donor answered its status with ${JSON.stringify(status)}`);
    },
  };
}

/** These end the donor, as its person may. */
const endsDonor: ReadonlySet<string> = new Set(["quit", "leave"]);

const names = Object.keys(calls).filter((name) => !endsDonor.has(name));

const frame: fc.Arbitrary<Json> = fc.record({
  id: fc.nat(),
  call: fc.constantFrom(...names),
  argument: hostileJson,
});

/** Messages as JSON texts: most of them calls with hostile arguments. */
export const hostileFrames: fc.Arbitrary<Json> = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: frame.map((each) => JSON.stringify(each)) },
      { weight: 3, arbitrary: spoiled(frame).map((each) => JSON.stringify(each)) },
      { weight: 1, arbitrary: hostileText },
    ),
    { minLength: 1, maxLength: 6 },
  )
  .filter((texts) => texts.every((text) => !text.includes("quit") && !text.includes("leave")));

/** Throws unless the text is a reply of the donor, or one of its messages to a panel. */
export function checkReply(text: string): void {
  const value: unknown = JSON.parse(text);
  if (typeof value === "object" && value !== null && "delta" in value) return;
  const reply = replyFrame.parse(value);
  if (reply.reply.kind === "refused" && /\bat \/|node:internal/.test(reply.reply.message)) {
    throw new Error(`a refusal reveals its source: ${reply.reply.message}`);
  }
}
