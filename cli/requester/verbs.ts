import type { VerbGroup } from "../command/command.ts";

/** The commands for people who ask models, in the order of the help text. */
export const requesters: VerbGroup = {
  title: "For requesters",
  verbs: {
    login: {
      summary: "store the server's address and an API key",
      load: async () => (await import("./login.ts")).login,
    },
    logout: {
      summary: "remove the stored address and key",
      load: async () => (await import("./login.ts")).logout,
    },
    models: {
      summary: "list the models that you can ask",
      load: async () => (await import("./models.ts")).models,
    },
    chat: {
      summary: "ask a model a question, or talk with it",
      load: async () => (await import("./chat.ts")).chat,
    },
    quote: {
      summary: "say what an answer would cost",
      load: async () => (await import("./quote.ts")).quote,
    },
    run: {
      summary: "ask a model about each row of a table",
      load: async () => (await import("./run/run.ts")).runTable,
    },
    batch: {
      summary: "submit, watch and cancel batches of requests",
      load: async () => (await import("./batch.ts")).batch,
    },
    jobs: {
      summary: "list your jobs, show or cancel one",
      load: async () => (await import("./jobs.ts")).jobs,
    },
    verify: {
      summary: "check signed receipts or archives, without a server",
      load: async () => (await import("./verify.ts")).verify,
    },
    usage: {
      summary: "show your jobs, tokens and credits by day",
      load: async () => (await import("./usage.ts")).usage,
    },
  },
};
