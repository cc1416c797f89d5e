import { RateLimiter } from "@convex-dev/rate-limiter";
import { rates } from "../../app/jobs/limits.ts";
import { components } from "../components.ts";

const minuteMs = 60_000;

/** The buckets of the rates in `app/jobs/limits.ts`: each fills up steadily and holds its burst. */
export const limiter = new RateLimiter(components.rateLimiter, {
  // Many calls of one key at the same time must not all write one row. What they add up to is known a moment
  // later, so that a sudden crowd may come through and is then kept waiting the longer.
  apiCalls: { ...bucket(rates.apiCalls), applyUpdates: "asynchronously" },
  wrongCodes: bucket(rates.wrongCodes),
});

function bucket({ perMinute, burst }: { readonly perMinute: number; readonly burst: number }) {
  return { kind: "token bucket", rate: perMinute, period: minuteMs, capacity: burst } as const;
}
