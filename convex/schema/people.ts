import { defineTable } from "convex/server";
import { v } from "convex/values";
import { allowance } from "../model/validators/credits.ts";
import { dataClassRule } from "../model/validators/keys.ts";
import { language, mailSettings, role, secondFactorRule } from "../model/validators/people.ts";
import { factorsFrom, priorityPrices } from "../model/validators/prices.ts";

/** Organizations, their members, and the keys of their data. */
export const peopleTables = {
  /** Written by setup. */
  organizations: defineTable({
    name: v.string(),
    createdAt: v.number(),
    /** The oldest version of Gleaner whose devices get jobs, if it is not the default. Written by console/devices. */
    oldestVersion: v.optional(v.string()),
    /** After how many minutes without use a session ends, if it is not the default. Written by console/people.setIdle. */
    idleMinutes: v.optional(v.number()),
    /** If they are not equal. Written by console/models.setPriorityPrices. */
    priorityPrices: v.optional(priorityPrices),
    /** The valid percents, and those that will be. Absent: `priorityPrices`. Written by model/models/priceVersions.ts. */
    factorSchedule: v.optional(v.array(factorsFrom)),
    /** The rule for second factors. Absent: nobody needs one. Written by console/access/secondFactor.setRule. */
    secondFactor: v.optional(secondFactorRule),
    /** Whether owners may look at the prompts and answers of all jobs. Absent: no. Written by console/payloads. */
    ownersReadPayloads: v.optional(v.boolean()),
    /** Whether somebody dismissed the offer of a first model. Written by console/models.showOffer. */
    offerDismissed: v.optional(v.boolean()),
    /** The credits that a member may spend in the playground within a day, if not the default. Written by console/playground. */
    playgroundMicro: v.optional(v.int64()),
    /** The origins whose pages may call the API in browsers, if not those of the operator. Written by console/keys.setOrigins. */
    pageOrigins: v.optional(v.array(v.string())),
  }),

  /**
   * The keys with which an organization's prompts, answers and files are encrypted, themselves encrypted with the deployment's master key.
   * One at most is not destroyed. A destroyed one stays without its secret. Written by model/texts/dataKeys.ts.
   */
  dataKeys: defineTable({
    organizationId: v.id("organizations"),
    /** Absent once it is destroyed. */
    wrapped: v.optional(v.string()),
    /** Names the master key that encrypted it. */
    wrappedBy: v.string(),
    createdAt: v.number(),
    destroyedAt: v.optional(v.number()),
  }).index("by_organization", ["organizationId", "destroyedAt"]),

  /**
   * The rules for classes of data, from the least to the most sensitive class. One row at most for an organization. Written by
   * model/keys/dataClasses.ts.
   */
  dataClassRules: defineTable({
    organizationId: v.id("organizations"),
    classes: v.array(dataClassRule),
  }).index("by_organization", ["organizationId"]),

  /** The people of an organization. Written by setup (the first owner) and model/people/. */
  members: defineTable({
    organizationId: v.id("organizations"),
    name: v.string(),
    /** In lower case. Absent for an owner who came by the printed link and has not set one. */
    email: v.optional(v.string()),
    /** Whether the member typed the address, and nobody has confirmed it. Single sign-on links nobody by it. */
    emailClaimed: v.optional(v.boolean()),
    roles: v.array(role),
    teamIds: v.array(v.id("teams")),
    /** In which the member read the console last. Absent before they did: mails to them are in English. */
    language: v.optional(language),
    createdAt: v.number(),
    /** Set when the member leaves. The row stays, since the audit trail names it. */
    removedAt: v.optional(v.number()),
    /** Credits that it gets at the start of each period. */
    allowance: v.optional(allowance),
  })
    .index("by_organization", ["organizationId", "removedAt"])
    .index("by_allowance_due", ["allowance.dueAt"])
    .index("by_email", ["organizationId", "email"])
    .searchIndex("by_name", { searchField: "name", filterFields: ["organizationId"] }),

  /** Groups of members that own keys and devices together. Written by model/people/teams.ts. */
  teams: defineTable({
    organizationId: v.id("organizations"),
    name: v.string(),
    createdAt: v.number(),
    removedAt: v.optional(v.number()),
    /** Credits that it gets at the start of each period. */
    allowance: v.optional(allowance),
  })
    .index("by_organization", ["organizationId", "removedAt"])
    .index("by_allowance_due", ["allowance.dueAt"]),

  /** Single-use links that make their holder a member. Written by model/people/invitations.ts. */
  invitations: defineTable({
    organizationId: v.id("organizations"),
    tokenHash: v.string(),
    email: v.optional(v.string()),
    name: v.string(),
    roles: v.array(role),
    invitedBy: v.id("members"),
    createdAt: v.number(),
    expiresAt: v.number(),
    acceptedBy: v.optional(v.id("members")),
    revokedAt: v.optional(v.number()),
  })
    .index("by_hash", ["tokenHash"])
    .index("by_organization", ["organizationId"]),

  /** The SMTP server through which an organization sends mails. Written by model/mail/server.ts. */
  mailServers: defineTable({
    organizationId: v.id("organizations"),
    ...mailSettings.fields,
    /** Sealed (model/signIn/sealed.ts). Absent: the server asks for none. */
    password: v.optional(v.string()),
  }).index("by_organization", ["organizationId"]),
};
