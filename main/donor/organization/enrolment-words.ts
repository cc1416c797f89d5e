import type { EnrolOutcome } from "./organization.ts";

type Refusal = Extract<EnrolOutcome, { kind: "refused" }>["reason"];

/** Why a code did not work, for whoever typed it. */
export const enrolmentRefusals: Readonly<Record<Refusal, string>> = {
  "unknown-code": "This enrolment code is not known. Check it for typing errors, or ask for a new one.",
  expired: "This enrolment code has expired. Ask your administrator for a new one.",
  "used-up": "This enrolment code was used as often as it may be. Ask your administrator for a new one.",
  revoked: "This enrolment code was withdrawn. Ask your administrator for a new one.",
};
