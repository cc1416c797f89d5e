import { type Check, hold } from "./check.ts";

export const membership: Check = ({ facts }) => {
  if (facts.membership === "none") return hold("not-enrolled");
  return facts.membership === "retired" ? hold("retired") : null;
};

export const pause: Check = ({ facts: { pause, now } }) => {
  if (pause === null || (pause.until !== null && pause.until <= now)) return null;
  return hold("paused-by-you", pause.until);
};

export const sleep: Check = ({ facts }) => (facts.suspended ? hold("suspended") : null);

export const connection: Check = ({ facts }) => (facts.connection === "offline" ? hold("offline") : null);
