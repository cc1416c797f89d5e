import { defineTable } from "convex/server";
import { v } from "convex/values";
import { providerSettings, signInMethod } from "../model/validators/people.ts";

/** Sessions, and the ways to sign in. */
export const signInTables = {
  /** Single-use. Written by setup and people.signInLink (created), and by account.signIn (used). */
  signInLinks: defineTable({
    organizationId: v.id("organizations"),
    tokenHash: v.string(),
    /** Absent in links of earlier versions: the first owner. */
    memberId: v.optional(v.id("members")),
    /** Only in links of earlier versions. */
    role: v.optional(v.literal("admin")),
    expiresAt: v.number(),
    usedAt: v.optional(v.number()),
  })
    .index("by_hash", ["tokenHash"])
    .index("by_member", ["memberId", "usedAt", "expiresAt"]),

  /**
   * Every signed-in query reads its session, so nothing here changes while it is used: `sessionUses` has that. Written by
   * model/people/sessions.ts.
   */
  sessions: defineTable({
    organizationId: v.id("organizations"),
    sessionHash: v.string(),
    /** Absent in sessions of earlier versions, which have ended. */
    memberId: v.optional(v.id("members")),
    /** Only in sessions of earlier versions. */
    role: v.optional(v.literal("admin")),
    /** How the member signed in. */
    method: v.optional(signInMethod),
    startedAt: v.optional(v.number()),
    /** When the member last proved who they are. */
    provenAt: v.optional(v.number()),
    /** When the member gave a second factor in this session. */
    secondFactorAt: v.optional(v.number()),
    /** The browser and its address at sign-in, as far as they are known. */
    agent: v.optional(v.string()),
    address: v.optional(v.string()),
    /** The session ends then, however much it is used. */
    expiresAt: v.number(),
  })
    .index("by_hash", ["sessionHash"])
    .index("by_member", ["memberId"])
    .index("by_organization", ["organizationId"]),

  /** A member's password, as a hash. Only sign-ins read it. Written by model/signIn/passwords.ts. */
  passwords: defineTable({
    organizationId: v.id("organizations"),
    memberId: v.id("members"),
    hash: v.string(),
    changedAt: v.number(),
  }).index("by_member", ["memberId"]),

  /** A member's authenticator app. Written by model/secondFactor/stored.ts. */
  secondFactors: defineTable({
    organizationId: v.id("organizations"),
    memberId: v.id("members"),
    /** Sealed (model/signIn/sealed.ts). */
    secret: v.string(),
    /** Absent until the member has typed a first code. */
    confirmedAt: v.optional(v.number()),
    /** The latest step of 30 seconds whose code was accepted. It and earlier ones count no more. */
    lastStep: v.number(),
    /** Hashes of the recovery codes that are left. */
    recoveryHashes: v.array(v.string()),
  }).index("by_member", ["memberId"]),

  /** The passkeys of members. Written by model/passkeys/stored.ts. */
  passkeys: defineTable({
    organizationId: v.id("organizations"),
    memberId: v.id("members"),
    /** In base64url, as the browser sends it. */
    credentialId: v.string(),
    publicKey: v.string(),
    /** How often the device says that it used the passkey. Synced passkeys always say 0. */
    counter: v.number(),
    transports: v.array(v.string()),
    name: v.string(),
    createdAt: v.number(),
    usedAt: v.optional(v.number()),
  })
    .index("by_member", ["memberId"])
    .index("by_credential", ["credentialId"]),

  /** The challenges that devices sign: each once, within five minutes. Written by model/passkeys/stored.ts. */
  passkeyChallenges: defineTable({
    challengeHash: v.string(),
    /** Of the page that asked. */
    origin: v.string(),
    /** The member who registers a passkey. Absent: it is for a sign-in or a proof. */
    memberId: v.optional(v.id("members")),
    expiresAt: v.number(),
  })
    .index("by_challenge", ["challengeHash"])
    .index("by_member", ["memberId"]),

  /** A sign-in that waits for the second factor, for ten minutes at most. Written by model/signIn/begin.ts. */
  pendingSignIns: defineTable({
    organizationId: v.id("organizations"),
    memberId: v.id("members"),
    /** Only the browser that began the sign-in knows this session. */
    sessionHash: v.string(),
    method: signInMethod,
    agent: v.optional(v.string()),
    lastsMs: v.optional(v.number()),
    /** For `ssoSessions`. The refresh token is sealed. */
    watch: v.optional(
      v.object({ providerId: v.id("ssoProviders"), subject: v.string(), refreshToken: v.string() }),
    ),
    expiresAt: v.number(),
  })
    .index("by_session", ["sessionHash"])
    .index("by_member", ["memberId"]),

  /** An organization's OpenID providers. Written by model/signIn/providers.ts. */
  ssoProviders: defineTable({
    organizationId: v.id("organizations"),
    ...providerSettings.fields,
    /** Sealed (model/signIn/sealed.ts). */
    clientSecret: v.string(),
    createdAt: v.number(),
    /** Set when it is removed. The row stays, since the audit trail names it. */
    removedAt: v.optional(v.number()),
  }).index("by_organization", ["organizationId", "removedAt"]),

  /** The people of a provider, by the subjects that it gave them. Written by model/signIn/admit.ts. */
  ssoAccounts: defineTable({
    organizationId: v.id("organizations"),
    issuer: v.string(),
    subject: v.string(),
    memberId: v.id("members"),
  })
    .index("by_subject", ["organizationId", "issuer", "subject"])
    .index("by_member", ["memberId"]),

  /**
   * A sign-in that is at the provider, for ten minutes at most. The provider's answer uses the state up, and sets the last
   * four fields. Written by model/signIn/attempts.ts.
   */
  ssoAttempts: defineTable({
    organizationId: v.id("organizations"),
    providerId: v.id("ssoProviders"),
    /** Absent once the provider has answered. */
    stateHash: v.optional(v.string()),
    /** Only the browser that began the sign-in knows this session. */
    sessionHash: v.string(),
    nonce: v.string(),
    verifier: v.string(),
    returnTo: v.string(),
    expiresAt: v.number(),
    memberId: v.optional(v.id("members")),
    subject: v.optional(v.string()),
    codeHash: v.optional(v.string()),
    /** Sealed. Absent if the provider gave none. */
    refreshToken: v.optional(v.string()),
  })
    .index("by_state", ["stateHash"])
    .index("by_code", ["codeHash"])
    .index("by_member", ["memberId"]),

  /** A session whose member the provider confirms each hour. Written by model/signIn/rechecks.ts. */
  ssoSessions: defineTable({
    organizationId: v.id("organizations"),
    sessionId: v.id("sessions"),
    providerId: v.id("ssoProviders"),
    subject: v.string(),
    /** Sealed. */
    refreshToken: v.string(),
    /** When the provider confirmed the member last. */
    confirmedAt: v.number(),
  }).index("by_session", ["sessionId"]),

  /** When a session was last used, to five minutes. Written by account.use. */
  sessionUses: defineTable({ sessionId: v.id("sessions"), at: v.number() }).index("by_session", [
    "sessionId",
  ]),
};
