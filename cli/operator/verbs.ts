import type { VerbGroup } from "../command/command.ts";

/** The commands for the operator of a backend, in the order of the help text. */
export const operators: VerbGroup = {
  title: "For operators",
  verbs: {
    "new-organization": {
      summary: "set up an organization on a deployment",
      load: async () => (await import("./new-organization.ts")).newOrganization,
    },
    "sign-in-link": {
      summary: "print a sign-in link for an admin",
      load: async () => (await import("./sign-in-link.ts")).makeSignInLink,
    },
    "metrics-token": {
      summary: "make the token for an organization's metrics",
      load: async () => (await import("./metrics-token.ts")).metricsToken,
    },
    backup: {
      summary: "write a copy of a deployment into one file",
      load: async () => (await import("./backup.ts")).backup,
    },
    restore: {
      summary: "reset a deployment to a backup",
      load: async () => (await import("./restore.ts")).restore,
    },
    "queue-settings": {
      summary: "show or change the settings of the queue",
      load: async () => (await import("./queue-settings.ts")).queueSettings,
    },
    conflicts: {
      summary: "show which mutations conflict, and where",
      load: async () => (await import("./conflicts.ts")).conflicts,
    },
    audit: {
      summary: "export the audit trail, or check an export",
      load: async () => (await import("./audit.ts")).audit,
    },
  },
};

/** The commands for an organization's administrator, who may have only the desktop program. */
export const administrators: VerbGroup = {
  title: "For administrators",
  verbs: {
    entry: {
      summary: "describe a model's file for the catalog",
      load: async () => (await import("./entry.ts")).entry,
    },
  },
};
