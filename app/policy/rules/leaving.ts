import { allowed } from "../declare/rule.ts";

export const leavingRules = {
  /** Only an organization sets it. */
  allowLeave: allowed({
    section: "membership",
    title: "Leaving the organization",
    hint: "Whether donors may take their computer out of the organization. An administrator can always retire it.",
    default: true,
  }),
};
