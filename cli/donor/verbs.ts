import type { VerbGroup } from "../command/command.ts";

/** The commands for a donor, in the order of the help text. */
export const donors: VerbGroup = {
  title: "For donors",
  verbs: {
    donate: {
      summary: "run this computer as a donor",
      load: async () => (await import("./donate.ts")).donate,
    },
    status: {
      summary: "show what the donor on this computer does, and why",
      load: async () => (await import("./activity.ts")).status,
    },
    pause: {
      summary: "stop donating, for a while or until resumed",
      load: async () => (await import("./activity.ts")).pause,
    },
    snooze: {
      summary: "stop donating for an hour, or as long as you say",
      load: async () => (await import("./activity.ts")).snooze,
    },
    "donate-now": {
      summary: "donate for a while, even while in use",
      load: async () => (await import("./activity.ts")).donateNow,
    },
    finish: {
      summary: "finish the job under way, then pause",
      load: async () => (await import("./activity.ts")).finish,
    },
    resume: { summary: "end a pause", load: async () => (await import("./activity.ts")).resume },
    explain: {
      summary: "show when the donor donated, when not, and why",
      load: async () => (await import("./explain.ts")).explain,
    },
    rules: {
      summary: "list the rules, set one or reset it",
      load: async () => (await import("./rules.ts")).rules,
    },
    facts: {
      summary: "show what the donor knows about this computer",
      load: async () => (await import("./facts.ts")).facts,
    },
    downloads: {
      summary: "list the models on this computer, remove or fetch one",
      load: async () => (await import("./downloads.ts")).downloads,
    },
    bench: {
      summary: "measure how fast the models are on this computer",
      load: async () => (await import("./bench.ts")).bench,
    },
    managed: {
      summary: "check a computer's managed settings, or write them for each system",
      load: async () => (await import("./managed.ts")).managed,
    },
    leave: {
      summary: "take this computer out of its organization",
      load: async () => (await import("./leave.ts")).leave,
    },
  },
};
