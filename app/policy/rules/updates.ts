import { yesOrNo } from "../declare/rule.ts";

/** No checks: they do not decide whether to donate. They are rules so that an organization can suggest or lock them. */
export const updateRules = {
  autoUpdate: yesOrNo({
    section: "updates",
    title: "Update Gleaner",
    hint: "Looks for new versions of the desktop program, and installs them while nobody uses the computer.",
    default: true,
  }),
  earlyUpdates: yesOrNo({
    section: "updates",
    title: "Early versions",
    hint: "Gets new versions before other computers do, to try them.",
    default: false,
  }),
};
