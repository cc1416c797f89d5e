import { yesOrNo } from "../declare/rule.ts";

/** No check: it does not decide whether to donate. It is a rule so that an organization can suggest or lock it. */
export const startRules = {
  startAtLogin: yesOrNo({
    section: "when",
    title: "Start at login",
    hint: "Starts the desktop program without a window when its user logs in.",
    default: false,
  }),
};
