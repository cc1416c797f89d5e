import { check, type Context, veto } from "../declare/check.ts";

/** Reasons for standby that no rule can change: the membership, the pause, sleep and the connection. */
export const membership = check({
  reasons: {
    "not-enrolled": {
      short: "Not enrolled",
      brief: "Gleaner needs an enrollment code to join your organization.",
      sentence: "This device does not belong to an organization yet. Enter an enrollment code to join one.",
    },
    "awaiting-approval": {
      short: "Waiting for approval",
      brief: "Gleaner waits for an administrator to approve this computer.",
      sentence: "Waiting for an administrator of your organization to approve this computer.",
      toOthers: {
        short: "Waiting for approval",
        sentence: "An administrator has to approve this device. It gets no jobs until then.",
      },
    },
    "paused-by-server": {
      short: "Paused automatically",
      brief: "Gleaner is paused, because too many jobs failed on this computer.",
      sentence:
        "Too many jobs failed on this computer, so it gets no more of them. An administrator of your organization can resume it.",
      toOthers: {
        short: "Paused automatically",
        sentence:
          "Too many jobs failed on this device, so it gets no more of them until an administrator resumes it.",
      },
    },
    "paused-in-console": {
      short: "Paused in the console",
      brief: "Gleaner was paused by you or an administrator in the console.",
      sentence:
        "Somebody paused this computer in Gleaner's console, so it gets no jobs. You can resume your own computer there; an administrator can resume any.",
      toOthers: {
        short: "Paused in the console",
        sentence: "Somebody paused this device in the console. It gets no jobs until the pause ends.",
      },
    },
    outdated: {
      short: "Update needed",
      brief: "Gleaner needs an update before it can donate again.",
      sentence: "Your organization asks for a newer version of Gleaner. Update it, and it donates again.",
      toOthers: {
        short: "Update needed",
        sentence: "This device has an old version of Gleaner. It gets no jobs until it is updated.",
      },
    },
    "other-key": {
      short: "Has to join again",
      brief: "Gleaner needs to join your organization again.",
      sentence:
        "The organization knows this computer by another key than it has now, so it sends it no jobs. This can happen when files are restored or copied. Join again, with a new enrollment code.",
      note: "To join again as a new device: GLEANER_CODE=GLN-… gleaner donate --backend URL --rejoin",
      toOthers: {
        short: "Key differs",
        sentence:
          "This device has another signing key than it registered, so it gets no jobs. If its user did not cause that, somebody may have copied or changed its files. Retire it, and let its user join again with a new code.",
      },
    },
    retired: {
      short: "Retired",
      brief: "Gleaner gets no more jobs, because an administrator retired this computer.",
      sentence:
        "An administrator retired this computer, so it gets no more jobs. To join again, ask for an enrollment code.",
      note: "To join again as a new device: GLEANER_CODE=GLN-… gleaner donate --backend URL --rejoin",
      toOthers: {
        short: "Retired",
        sentence: "An administrator retired this device. It gets no more jobs.",
      },
    },
  },
  needs: () => [],
  veto: ({ facts }: Context<"membership">) => {
    if (facts.membership === "none") return veto("not-enrolled");
    if (facts.membership === "pending") return veto("awaiting-approval");
    if (facts.membership === "paused") return veto("paused-by-server");
    if (facts.membership === "paused-on-request") return veto("paused-in-console");
    if (facts.membership === "outdated") return veto("outdated");
    if (facts.membership === "other-key") return veto("other-key");
    return facts.membership === "retired" ? veto("retired") : null;
  },
});

export const pause = check({
  reasons: {
    "paused-by-you": {
      short: "Paused by you",
      brief: "Gleaner is paused until you resume it.",
      sentence: "You paused donating.",
      toOthers: { short: "Paused by its user", sentence: "Its user paused donating." },
    },
  },
  needs: () => [],
  veto: ({ facts: { pause, now } }: Context<"pause" | "now">) => {
    if (pause === null || (pause.until !== null && pause.until <= now)) return null;
    return veto("paused-by-you", pause.until);
  },
});

export const sleep = check({
  reasons: {
    suspended: {
      short: "Asleep",
      brief: "Gleaner continues when this computer wakes up.",
      sentence: "This computer is going to sleep. Gleaner continues when it wakes up.",
      cooldownSeconds: 5,
    },
  },
  needs: () => ["suspended"],
  veto: ({ facts }: Context<"suspended">) => (facts.suspended ? veto("suspended") : null),
});

export const connection = check({
  reasons: {
    offline: {
      short: "Offline",
      brief: "Gleaner cannot reach your organization, and keeps trying.",
      sentence: "The organization's server cannot be reached. Gleaner keeps trying.",
    },
    "wrong-server": {
      short: "Wrong server",
      brief: "Gleaner does not recognize your organization’s server, so tell your administrator.",
      sentence:
        "The server that answers is not the one that this computer joined, so Gleaner sends it nothing. Tell your administrator.",
      note: "The server has another key than before. If an administrator has replaced the key, join again with a new enrollment code and the new pin: GLEANER_CODE=GLN-… gleaner donate --backend URL --pin sha256:…",
    },
  },
  needs: () => [],
  veto: ({ facts }: Context<"connection">) => (facts.connection === "online" ? null : veto(facts.connection)),
});
