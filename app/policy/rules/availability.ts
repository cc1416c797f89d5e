import { type Check, hold } from "../declare/check.ts";

export const membership: Check<"membership", never, "not-enrolled" | "retired"> = ({ facts }) => {
  if (facts.membership === "none") return hold("not-enrolled");
  return facts.membership === "retired" ? hold("retired") : null;
};

export const pause: Check<"pause" | "now", never, "paused-by-you"> = ({ facts: { pause, now } }) => {
  if (pause === null || (pause.until !== null && pause.until <= now)) return null;
  return hold("paused-by-you", pause.until);
};

export const sleep: Check<"suspended", never, "suspended"> = ({ facts }) =>
  facts.suspended ? hold("suspended") : null;

export const connection: Check<"connection", never, "offline"> = ({ facts }) =>
  facts.connection === "offline" ? hold("offline") : null;
