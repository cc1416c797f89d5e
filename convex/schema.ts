import { priority } from "@gleaner/queue/validators";
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { askedVectors, callEnd, ranking, vote } from "./model/calls/validators.ts";
import { canaryState, caseState, checkMode, endedJob, standing, voice } from "./model/trust/validators.ts";
import { alertNews, attentionItem } from "./model/validators/alerts.ts";
import {
  disputeDecision,
  disputeState,
  foundWrong,
  jobEnergy,
  rating,
  ratingReason,
  usage,
} from "./model/validators/answers.ts";
import {
  batchEndpoint,
  batchForecast,
  batchLine,
  batchStatus,
  capacityHour,
  cutWait,
  lineFailure,
  lineMistake,
  wrongLine,
} from "./model/validators/batches.ts";
import {
  allowance,
  amountsByKind,
  creditMoveKind,
  earnedOfDevice,
  houseRules,
  keyCharge,
  keyFree,
  keyMoveSource,
  lot,
  paidPeriod,
  payoutState,
} from "./model/validators/credits.ts";
import {
  activity,
  askedVersion,
  comfortCounts,
  comfortHour,
  deviceLimits,
  deviceModel,
  devicePause,
  deviceStatus,
  policyRules,
  previewSums,
  requestedPause,
} from "./model/validators/devices.ts";
import { archiveFacts, filePart, filePurpose, uploadStatus } from "./model/validators/files.ts";
import {
  bulkAct,
  bulkChosen,
  bulkState,
  bulkTarget,
  countedListing,
  deviceConcern,
  deviceCounts,
  deviceSpan,
  facetCount,
  listingFacts,
  placedBy,
  ruleFilters,
  viewSettings,
} from "./model/validators/fleet.ts";
import {
  dataClassRule,
  deviceNeeds,
  formerSecret,
  keyCount,
  keyQuotas,
  keyScope,
  runnerStop,
} from "./model/validators/keys.ts";
import {
  inspectionOutcome,
  rolloutDeviceState,
  rolloutPace,
  rolloutPlace,
  rolloutStage,
  rolloutState,
  stageCounts,
} from "./model/validators/models.ts";
import {
  language,
  mailSettings,
  owner,
  providerSettings,
  role,
  secondFactorRule,
  signInMethod,
} from "./model/validators/people.ts";
import {
  beforePriority,
  factorsFrom,
  price,
  pricedFrom,
  priceFactors,
  priorityPrices,
} from "./model/validators/prices.ts";
import { callForm, outcome } from "./model/validators/requests.ts";
import {
  budgetSubject,
  daySum,
  depthKind,
  depthSample,
  subjectKind,
  tally,
  usageFacts,
} from "./model/validators/statistics.ts";
import { deliveryAttempt, deliveryState, disabledBy, webhookEvent } from "./model/validators/webhooks.ts";

/**
 * Every table names its writers. Jobs, attempts and workers are in the queue's own tables. Rows that change often, such as
 * pending entries, are kept apart from rows that clients subscribe to. Each row of an organization has its `organizationId`.
 */
export default defineSchema({
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

  /** The SMTP server through which an organization sends mails. Written by model/mail/server.ts. */
  mailServers: defineTable({
    organizationId: v.id("organizations"),
    ...mailSettings.fields,
    /** Sealed (model/signIn/sealed.ts). Absent: the server asks for none. */
    password: v.optional(v.string()),
  }).index("by_organization", ["organizationId"]),

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

  /**
   * A call of the HTTP API that has waited for its job for some seconds. Written by the call: each has a row of its own, so
   * the calls of a key do not contend. A call that cannot delete its row leaves it to `maintenance`.
   */
  waits: defineTable({
    apiKeyId: v.id("apiKeys"),
    /** Absent in rows of earlier versions, which end within minutes. */
    organizationId: v.optional(v.id("organizations")),
    until: v.number(),
    /** A hash of the request that the call waits for, and its job. Absent if its requester can find the job otherwise. */
    request: v.optional(v.string()),
    jobId: v.optional(v.string()),
    /** The idempotency key of the submission that took up a job of another call. Absent: it got a job of its own. */
    submission: v.optional(v.string()),
  })
    .index("by_key", ["apiKeyId", "until"])
    .index("by_request", ["apiKeyId", "request"])
    .index("by_organization", ["organizationId", "until"])
    .index("by_end", ["until"]),

  /** A call that ended before its answer, and its job, for some seconds. Written by model/requests/leftCalls.ts. */
  leftCalls: defineTable({
    apiKeyId: v.id("apiKeys"),
    /** A hash of the request. An equal one gets the job. */
    request: v.string(),
    jobId: v.string(),
  }).index("by_request", ["apiKeyId", "request"]),

  /**
   * A call of several jobs that nobody has to wait for. Its requester finds its answer by its id. It has no text: requests and answers
   * are those of its jobs. Written by model/calls/.
   */
  calls: defineTable({
    organizationId: v.id("organizations"),
    apiKeyId: v.id("apiKeys"),
    /** In the order of the answer. Second opinions are in the order in which they were asked for. */
    jobIds: v.array(v.string()),
    /** Only of a ranking. */
    ranking: v.optional(ranking),
    /** Only of a call for vectors. */
    vectors: v.optional(askedVectors),
    /** Only of a call with second opinions. */
    vote: v.optional(vote),
    /** Absent: it has not ended, or its last job has answered. */
    end: v.optional(callEnd),
    /** The time of its next scheduled step: model/calls/steps.ts. Absent: it needs none now. */
    stepAt: v.optional(v.number()),
  }).index("by_step", ["stepAt"]),

  /** Written by setup and the admin's key calls. `prefix` is the part that may be shown. */
  apiKeys: defineTable({
    organizationId: v.id("organizations"),
    keyHash: v.string(),
    name: v.string(),
    prefix: v.string(),
    createdAt: v.number(),
    revokedAt: v.optional(v.number()),
    /** The member or team to whom it belongs. Absent: the organization. */
    owner: v.optional(owner),
    /** The data class of all its jobs: only devices with this class get them. */
    dataClass: v.optional(v.string()),
    /** The highest data class that its requests may name. Absent: none but `dataClass`. Written by console/keys.setRights. */
    highestDataClass: v.optional(v.string()),
    /** The other requirements of all its jobs. Absent: none. Written by console/keys.setRights. */
    requirements: v.optional(deviceNeeds),
    /** Whether its requests may add requirements. Absent: no. Written by console/keys.setRights. */
    mayRequire: v.optional(v.boolean()),
    /** The highest priority that it may ask for. Absent: any. Written by console/keys.setRights. */
    highestPriority: v.optional(priority),
    /** The kinds of calls that it may make. Absent: all. This and the next four are written by console/keys.setAccess. */
    scopes: v.optional(v.array(keyScope)),
    /** The models that it may ask. Absent: all. */
    models: v.optional(v.array(v.string())),
    /** The addresses and networks from which it may be used. Absent: any. */
    addresses: v.optional(v.array(v.string())),
    quotas: v.optional(keyQuotas),
    /** It is refused from then on; ms epoch. */
    expiresAt: v.optional(v.number()),
    /** Set once the jobs of an expired key were canceled. Written by model/keys/keyEnds.ts. */
    expired: v.optional(v.literal(true)),
    /** The secret before a rotation, while it still works. Written by model/keys/rotation.ts. */
    former: v.optional(formerSecret),
    /** Credits that it gets at the start of each period. Absent: none. Written by model/credits/allowances.ts. */
    allowance: v.optional(allowance),
    /** The time at which a member last changed the secrets, so that a restore does not bring a replaced one back. */
    secretChangedAt: v.optional(v.number()),
    /** When its requests stopped the runners of devices, oldest first. Written by model/requests/restriction.ts, seldom. */
    runnerStops: v.optional(v.array(runnerStop)),
    /** The ends of its jobs whose answers did not meet their schema, oldest first: app/keys/restriction.ts. Written as `runnerStops`. */
    unmetSchemas: v.optional(v.array(v.number())),
    /** The last day on which the organization covered a part of its price. Written by model/ledger/reservations.ts. */
    coveredAt: v.optional(v.number()),
    /** Only in a key of the playground: its session, its end, and its credits. Written by model/keys/playgroundKeys.ts. */
    playgroundSession: v.optional(v.id("sessions")),
    playgroundUntil: v.optional(v.number()),
    playgroundMicro: v.optional(v.int64()),
    /** Set at its end. Such keys are not listed, since there is a new one for each session. */
    playgroundEnded: v.optional(v.boolean()),
  })
    .index("by_hash", ["keyHash"])
    .index("by_owner", ["owner", "revokedAt"])
    .index("by_organization_listed", ["organizationId", "playgroundEnded"])
    .index("by_owner_listed", ["owner", "playgroundEnded"])
    .index("by_owner_playground", ["owner", "playgroundUntil"])
    .index("by_playground_session", ["playgroundSession"])
    .index("by_former_hash", ["former.keyHash"])
    .index("by_former_end", ["former.until"])
    .index("by_allowance_due", ["allowance.dueAt"])
    .index("by_expiry", ["organizationId", "expired", "expiresAt"]),

  /** The last use of a key, to the minute. Every call reads it, so it changes seldom. Written by model/keys/keyUse.ts. */
  keyUses: defineTable({ apiKeyId: v.id("apiKeys"), at: v.number() }).index("by_key", ["apiKeyId"]),

  /**
   * The use of a key on one day (UTC): requests, and what they used or have reserved. Written by the ledger's projector, and kept
   * for two months.
   */
  keyDays: defineTable({ apiKeyId: v.id("apiKeys"), startAt: v.number(), ...keyCount.fields }).index(
    "by_key",
    ["apiKeyId", "startAt"],
  ),

  /** Written by setup, the admin's code calls, and devices.enroll (`used`). */
  enrolmentCodes: defineTable({
    organizationId: v.id("organizations"),
    codeHash: v.string(),
    label: v.string(),
    uses: v.number(),
    used: v.number(),
    createdAt: v.number(),
    expiresAt: v.number(),
    revokedAt: v.optional(v.number()),
    /** To whom its devices belong. Absent: the organization. */
    owner: v.optional(owner),
    /** Its devices wait until an admin approves them. */
    needsApproval: v.optional(v.boolean()),
    /** A member confirmed a computer that made this code itself. It is not among the codes that people make. */
    bySignIn: v.optional(v.literal(true)),
  })
    .index("by_hash", ["codeHash"])
    .index("by_organization", ["organizationId", "bySignIn"])
    .index("by_owner", ["owner", "revokedAt"])
    .index("by_end", ["expiresAt"]),

  /**
   * A device as its organization knows it. The queue's worker has its capabilities, whether it is online, its groups and
   * data classes. Seldom written: by devices.enroll, devices.registerSigningKey, devices.report, console/devices
   * (status, limits), console/devices.label.
   */
  devices: defineTable({
    organizationId: v.id("organizations"),
    /** The queue's worker. Its `externalId` is this row's id. */
    workerId: v.string(),
    keyHash: v.string(),
    /** Its public key of Ed25519, in base64url. It never changes. Without one the device gets no jobs. */
    signingKey: v.optional(v.string()),
    name: v.string(),
    platform: v.string(),
    status: deviceStatus,
    activity: v.union(activity, v.null()),
    /** Names of facts that it does not know about its computer. */
    unknownFacts: v.optional(v.array(v.string())),
    /** A copy of the worker's groups: every device watches `me`, and the worker's row changes more often. */
    groups: v.optional(v.array(v.string())),
    /** Absent: nobody put it anywhere. Written by model/fleet/placement.ts. */
    placedBy: v.optional(placedBy),
    /** What the organization allows it. The queue's worker has a copy. Absent if it has no limits. */
    limits: v.optional(deviceLimits),
    enrolledAt: v.number(),
    /** The member or team to whom it belongs. Absent: the organization. */
    owner: v.optional(owner),
    /**
     * Those who had it before and handed it over by themselves, so that they may still have the computer: docs/trust.md. Absent: nobody,
     * or an administrator has decided whose it is. Written by model/people/handOver.ts.
     */
    givers: v.optional(v.array(owner)),
    /** The code that admitted it. */
    codeId: v.optional(v.id("enrolmentCodes")),
    /** The IP address from which it enrolled, if the backend knew it. */
    enrolledFrom: v.optional(v.string()),
    lastChangeAt: v.number(),
    /** When its person took it out of the organization. Its key was removed there, so it cannot come back. */
    leftAt: v.optional(v.number()),
    /** Set while the device is paused because it failed too often. Written by model/devices/service.ts. */
    pause: v.optional(devicePause),
    /** Set while a person keeps it paused. Written by model/devices/pauses.ts. */
    requestedPause: v.optional(requestedPause),
    /** Attempts that began before an admin's resumption do not count against it. */
    judgedFrom: v.optional(v.number()),
    /** The version that it would need to get jobs. Absent if its version is new enough. */
    needsVersion: v.optional(v.string()),
    /** Set until it has the version that it was asked to update to. It gets jobs meanwhile. */
    askedVersion: v.optional(askedVersion),
    /** A version of its program that did not work there, as it reports it. It counts while the program is older. */
    rolledBackVersion: v.optional(v.string()),
  })
    .index("by_hash", ["keyHash"])
    .index("by_organization", ["organizationId", "status"])
    .index("by_code", ["codeId", "status"])
    .index("by_owner", ["owner", "status"]),

  /** An organization's catalog and price list. Written by setup and console/models. */
  models: defineTable({
    organizationId: v.id("organizations"),
    modelId: v.string(),
    sha256: v.string(),
    sizeBytes: v.number(),
    contextTokens: v.number(),
    /** "bundled" with the program, or a URL. */
    source: v.string(),
    licence: v.optional(v.string()),
    template: v.optional(v.string()),
    /** The number of hashes in `modelPieces`. */
    pieceCount: v.optional(v.number()),
    /** The hash of those hashes, which the catalog's signature covers. */
    piecesHash: v.optional(v.string()),
    price,
    /** The valid price, and those that will be. Absent: `price`. Written by model/models/priceVersions.ts. */
    priceSchedule: v.optional(v.array(pricedFrom)),
    /** False once it is retired. */
    enabled: v.boolean(),
    createdAt: v.number(),
  }).index("by_organization_model", ["organizationId", "modelId"]),

  /** Each price that an organization has set: of one model, or the percents of all. Written by model/models/priceVersions.ts. */
  priceVersions: defineTable({
    organizationId: v.id("organizations"),
    /** From 1, for all prices of the organization. */
    version: v.number(),
    modelId: v.optional(v.string()),
    price: v.optional(price),
    factors: v.optional(priceFactors),
    /** It begins at `from`, and was made at `at`; ms epoch. */
    from: v.number(),
    at: v.number(),
    /** The actor, as the queue stores one. */
    by: v.string(),
    why: v.optional(v.string()),
    /** Only of a version that never began. */
    canceledAt: v.optional(v.number()),
    canceledBy: v.optional(v.string()),
  }).index("by_organization", ["organizationId", "version"]),

  /** Names that stand for models of the catalog. Written by console/aliases. */
  modelAliases: defineTable({
    organizationId: v.id("organizations"),
    alias: v.string(),
    modelId: v.string(),
    createdAt: v.number(),
  }).index("by_alias", ["organizationId", "alias"]),

  /** The keys whose requests named an alias. Written by requests.submit, once an hour per key. */
  aliasUses: defineTable({
    organizationId: v.id("organizations"),
    alias: v.string(),
    apiKeyId: v.id("apiKeys"),
    usedAt: v.number(),
  })
    .index("by_key", ["organizationId", "alias", "apiKeyId"])
    .index("by_time", ["organizationId", "alias", "usedAt"]),

  /** How the votes on requests to a model ended: app/votes/confidence.ts. Written by model/requests/votes.ts. */
  voteTallies: defineTable({
    organizationId: v.id("organizations"),
    modelId: v.string(),
    /** How many votes had groups of which sizes, such as "2-1". */
    tally: v.record(v.string(), v.number()),
  }).index("by_model", ["organizationId", "modelId"]),

  /** The signature of an organization's catalog. Written by setup and console/models, through model/models/signCatalog.ts. */
  catalogSignatures: defineTable({
    organizationId: v.id("organizations"),
    /** The organization's public key of Ed25519, in base64url. The private one is in no table. */
    publicKey: v.string(),
    /** Grows with each change. */
    version: v.number(),
    signature: v.string(),
    /** Earlier keys, each with its signature of the next one. */
    handovers: v.array(v.object({ from: v.string(), to: v.string(), signature: v.string() })),
  }).index("by_organization", ["organizationId"]),

  /**
   * A file that a member wants to add as a model, and the facts that the backend read from it. One row per member. Written by
   * model/models/inspection.ts.
   */
  modelInspections: defineTable({
    organizationId: v.id("organizations"),
    memberId: v.id("members"),
    /** As the member typed it. */
    link: v.string(),
    /** Absent while the file is being read. */
    outcome: v.optional(inspectionOutcome),
  }).index("by_member", ["memberId"]),

  /** The hashes of a model's pieces: kilobytes that only downloads read. Written with the model. */
  modelPieces: defineTable({
    organizationId: v.id("organizations"),
    sha256: v.string(),
    pieceBytes: v.number(),
    pieceHashes: v.array(v.string()),
  }).index("by_organization_hash", ["organizationId", "sha256"]),

  /** The length of a model's vectors. It counts once two devices agree on it. Written by work.complete, seldom. */
  vectorLengths: defineTable({
    organizationId: v.id("organizations"),
    sha256: v.string(),
    length: v.number(),
    /** The device that sent vectors of this length first. */
    deviceId: v.id("devices"),
    agreed: v.boolean(),
  }).index("by_organization_hash", ["organizationId", "sha256"]),

  /** The state of all models on a device. Written by devices.reportModels, seldom. */
  deviceModels: defineTable({
    organizationId: v.id("organizations"),
    deviceId: v.id("devices"),
    models: v.array(deviceModel),
    reportedAt: v.number(),
  })
    .index("by_device", ["deviceId"])
    .index("by_organization", ["organizationId"]),

  /** The measured hours of devices, kept for eight days. Written by devices.reportComfort: once an hour of donation. */
  comfortHours: defineTable({
    organizationId: v.id("organizations"),
    deviceId: v.id("devices"),
    ...comfortHour.fields,
    /** Only in rows of earlier versions. */
    yields: v.optional(v.number()),
  })
    .index("by_device", ["deviceId", "startAt"])
    .index("by_organization", ["organizationId"]),

  /** The comfort of all devices on one day (UTC), kept for 35 days. This and the next are written once a minute by model/comfort/. */
  comfortDays: defineTable({
    organizationId: v.id("organizations"),
    startAt: v.number(),
    counts: comfortCounts,
  }).index("by_organization", ["organizationId", "startAt"]),

  /** How far the measured hours of an organization's devices are counted: up to this creation time. */
  comfortProgress: defineTable({
    organizationId: v.id("organizations"),
    countedTo: v.number(),
  }).index("by_organization", ["organizationId"]),

  /**
   * The staged roll-out of a model: one row per model, of its last roll-out. Each device watches the open ones, so a row
   * changes only when another device may have the model. This and the next two are written by model/rollouts/.
   */
  modelRollouts: defineTable({
    organizationId: v.id("organizations"),
    modelId: v.string(),
    /** The model was added with it, so no device had the file. */
    isNew: v.boolean(),
    state: rolloutState,
    /** Until they are planned, only their sizes are right. */
    stages: v.array(rolloutStage),
    /** From 0. */
    stage: v.number(),
    stageAt: v.number(),
    pace: rolloutPace,
    /** False once it is done. */
    isOpen: v.boolean(),
    /** Why it stopped by itself. */
    why: v.optional(v.string()),
    /** Before the last act of a person, as long as it can be undone. */
    previous: v.optional(rolloutPlace),
    /** Failed devices that a person has accepted by continuing. */
    accepted: v.number(),
    startedAt: v.number(),
  })
    .index("by_model", ["organizationId", "modelId"])
    .index("by_open", ["organizationId", "isOpen"])
    .index("by_any_open", ["isOpen"]),

  /** The devices of a roll-out, added up by stage. Earlier stages are not part of later ones. Brought up to date every 10 s. */
  modelRolloutCounts: defineTable({
    organizationId: v.id("organizations"),
    rolloutId: v.id("modelRollouts"),
    byStage: v.array(stageCounts),
    /** Failed devices by reason. */
    reasons: v.array(v.object({ why: v.string(), devices: v.number() })),
    countedAt: v.number(),
  }).index("by_rollout", ["rolloutId"]),

  /** A device that told of the model during its roll-out. Changes only when the model's state on the device does. */
  modelRolloutDevices: defineTable({
    organizationId: v.id("organizations"),
    rolloutId: v.id("modelRollouts"),
    deviceId: v.id("devices"),
    rank: v.number(),
    state: rolloutDeviceState,
    why: v.optional(v.string()),
    /** It has downloaded a part of the model, or all of it. */
    begun: v.boolean(),
    /** It had done so before the roll-out. */
    had: v.boolean(),
    failedJobs: v.number(),
    /** Whether it changed since it was counted. */
    recount: v.boolean(),
    /** The stage and the state under which it is counted now. */
    counted: v.optional(
      v.object({ stage: v.number(), state: rolloutDeviceState, why: v.optional(v.string()) }),
    ),
  })
    .index("by_device", ["rolloutId", "deviceId"])
    .index("by_recount", ["rolloutId", "recount"])
    .index("by_state", ["rolloutId", "state"]),

  /** Versions of an organization's rules for its devices; the highest is in force. Written by console/policy. */
  policies: defineTable({
    organizationId: v.id("organizations"),
    /** A group of devices whose rules override the organization's; "" for the whole organization. */
    group: v.string(),
    version: v.number(),
    rules: policyRules,
    at: v.number(),
    actor: v.string(),
    /** The changes, in words. */
    changes: v.array(v.string()),
    /** Why, in the author's words. */
    reason: v.optional(v.string()),
  }).index("by_group", ["organizationId", "group", "version"]),

  /**
   * A draft of rules that devices are asked to replay, until its end. One row per member. Devices watch the open ones of their
   * groups, so nothing here changes but `isOpen`. This and the next three are written by model/policies/preview.ts.
   */
  policyPreviews: defineTable({
    organizationId: v.id("organizations"),
    memberId: v.id("members"),
    group: v.string(),
    rules: policyRules,
    at: v.number(),
    spreadMs: v.number(),
    isOpen: v.boolean(),
  })
    .index("by_open", ["organizationId", "isOpen", "group"])
    .index("by_member", ["memberId"]),

  /** The devices that a preview is for, counted at its start. */
  policyPreviewFleets: defineTable({
    organizationId: v.id("organizations"),
    previewId: v.id("policyPreviews"),
    online: v.number(),
    offline: v.number(),
  }).index("by_preview", ["previewId"]),

  /** The answers to a preview, added up in a few rows. */
  policyPreviewSums: defineTable({
    organizationId: v.id("organizations"),
    previewId: v.id("policyPreviews"),
    shard: v.number(),
    sums: previewSums,
  }).index("by_preview", ["previewId", "shard"]),

  /** The last previews that a device answered, newest first. */
  policyAnswers: defineTable({
    organizationId: v.id("organizations"),
    deviceId: v.id("devices"),
    previewIds: v.array(v.id("policyPreviews")),
  }).index("by_device", ["deviceId"]),

  /**
   * The secret by which devices of one office recognize each other. Devices need the secret itself, so it is no hash. It
   * opens nothing but pieces of models on other devices. Written by model/devices/sharing.ts.
   */
  sharingSecrets: defineTable({
    organizationId: v.id("organizations"),
    secret: v.string(),
    /** Still accepted, for devices that have not received the new one yet. */
    previous: v.union(v.string(), v.null()),
    rotatedAt: v.number(),
  }).index("by_organization", ["organizationId"]),

  /** Changes of jobs that wait for some seconds, so that they can be undone. Written by model/orders/heldChanges.ts. */
  heldCancels: defineTable({
    organizationId: v.id("organizations"),
    /** Absent: a cancel. */
    act: v.optional(v.union(v.literal("cancel"), v.literal("retry"), v.literal("discard"))),
    /** A job that was retried meanwhile has another round, and stays. */
    jobs: v.array(v.object({ jobId: v.string(), round: v.number() })),
    /** A retry of all dead letters, instead of `jobs`. `onlyMendable`: not those whose request itself causes the error. */
    allDead: v.optional(v.object({ onlyMendable: v.boolean() })),
    /** The one who asked for it. */
    actor: v.object({ memberId: v.id("members"), sessionId: v.id("sessions") }),
    /** From where they asked. Absent in those of earlier versions, which end within seconds. */
    address: v.optional(v.string()),
    /** When they happen (ms epoch). */
    at: v.number(),
    /** Some of the jobs are changed, and the others follow. */
    hasBegun: v.boolean(),
  }),

  /**
   * The app's part of a job: its key, its price and its reservation. Written by requests.submit, closed by jobs.onFinal,
   * reopened by a retry of a dead letter. Never holds the prompt.
   */
  orders: defineTable({
    /** The queue's id. */
    jobId: v.string(),
    organizationId: v.id("organizations"),
    apiKeyId: v.id("apiKeys"),
    modelId: v.string(),
    /** The alias by which the request named the model. Absent: none. */
    alias: v.optional(v.string()),
    /** The form in which its call answers. Absent: the usual one of the job's kind, also in old orders. */
    callForm: v.optional(callForm),
    /** The class of its data. Absent: none. */
    dataClass: v.optional(v.string()),
    price,
    /** The highest priority that the job has had. Absent in old orders, which no priority makes dearer. */
    priority: v.optional(priority),
    /** What the job costs because of that priority, in percent of `price`. Absent: 100. */
    pricePercent: v.optional(v.number()),
    /** The versions of its model's price and of the percents, such as "3.1". Absent in old orders. */
    priceVersion: v.optional(v.string()),
    /** How often its reservation was raised or lowered in all. */
    reservationChanges: v.optional(v.number()),
    /** Before the last change of its priority. An undo puts it back. Written by model/orders/priorities.ts. */
    beforePriority: v.optional(beforePriority),
    /** The last cancel that waited, or still waits, for the job. */
    heldCancel: v.optional(v.id("heldCancels")),
    /** Bounds of the true token counts: the model's context, and the requested maximum. */
    most: usage,
    /** The most tokens that the prompt can have, by its bytes. Absent in old orders. */
    promptTokens: v.optional(v.number()),
    /** The prompt tokens that are reserved: a device is paid for no more. Absent in old orders. */
    reservedPromptTokens: v.optional(v.number()),
    /** Vectors in the answer to an embedding job. */
    vectors: v.optional(v.number()),
    /** How often a device may have to write the answer. Absent: once. */
    tries: v.optional(v.number()),
    /** Whether the request has a grammar, a schema or tools. */
    constrained: v.optional(v.boolean()),
    /** Whether the job ends with the call that asked for it, since nobody could find its answer. Absent after its end. */
    endsWithCall: v.optional(v.boolean()),
    /** A hash of the request, if a retry of its call finds the job by it. Absent after its end. */
    request: v.optional(v.string()),
    /** The first job of the call, if a retry finds this one by it. Absent in the first one, and after the end. */
    firstJob: v.optional(v.string()),
    /** Its call, if that is answered later and is several jobs. */
    call: v.optional(v.id("calls")),
    reservedMicro: v.int64(),
    /** The tokens that are reserved, if they are less than the most that are paid: app/money/likely.ts. */
    held: v.optional(usage),
    /** The part of its price that the organization covered, since its key did not have it. */
    coveredMicro: v.optional(v.int64()),
    /** The part of its price that paid a device which another one outran. */
    outrunMicro: v.optional(v.int64()),
    /** To whom the device belonged that was paid, or whose pay is held; null: to nobody. Only in organizations that act on checks. */
    paidOwner: v.optional(v.union(owner, v.null())),
    /** How long its texts are kept after its end, if the rules for its class of data said so. */
    keptHours: v.optional(v.number()),
    /** The part that its key got back, since checks found the answer wrong: model/trust/giveBack.ts. */
    givenBackMicro: v.optional(v.int64()),
    /** That checks found the answer wrong, and how the request is answered again: model/trust/corrections.ts. */
    foundWrong: v.optional(foundWrong),
    /** The job whose wrong answer this one replaces. */
    corrects: v.optional(v.string()),
    /** The canary that it is a job of: model/trust/canaries/. */
    canary: v.optional(v.id("canaries")),
    /** The job's round, from 0. Each retry of a dead letter starts another; a round reserves once and is closed once. */
    round: v.number(),
    /** Absent until it is paid. */
    priceMicro: v.optional(v.int64()),
    /** The amount that bonus hours added to the pay of its device, and their percent. The key does not pay it. */
    bonusMicro: v.optional(v.int64()),
    bonusPercent: v.optional(v.number()),
    /** Whether a device of the key's owner did it, so that it cost nothing. */
    ownJob: v.optional(v.boolean()),
    usage: v.optional(usage),
    /** The energy that the device used for it. Absent before its end, and if the device did not tell it. */
    energy: v.optional(jobEnergy),
    /** The kind of computer that did it. Absent before its end, and in old orders. */
    deviceClass: v.optional(v.string()),
    /** Why the app itself canceled the job. */
    error: v.optional(v.object({ code: v.string(), message: v.string() })),
    /** Only in a job of a batch. */
    batchLine: v.optional(batchLine),
  })
    .index("by_job", ["jobId"])
    .index("by_organization", ["organizationId"])
    .index("by_key", ["apiKeyId"])
    .index("by_call", ["endsWithCall"])
    .index("by_request", ["request", "apiKeyId"]),

  /**
   * The receipt of an answered job: app/receipts/receipt.ts. Append-only, and no row of another job is read or changed. Written by
   * model/receipts/write.ts.
   */
  receipts: defineTable({
    organizationId: v.id("organizations"),
    jobId: v.string(),
    /** As canonical JSON, which the seal covers: the device's claim and signature, and what the organization adds. */
    entry: v.string(),
  })
    .index("by_organization", ["organizationId"])
    .index("by_job", ["jobId"]),

  /** The hash chain over the receipts. Append-only; written by model/receipts/seal.ts. */
  receiptSeals: defineTable({
    organizationId: v.id("organizations"),
    number: v.number(),
    count: v.number(),
    root: v.string(),
    previous: v.string(),
    hash: v.string(),
    /** Absent if the deployment has no signing key. */
    signedBy: v.optional(v.object({ key: v.string(), signature: v.string() })),
    /** The creation times of its first and last receipt. */
    from: v.number(),
    to: v.number(),
    at: v.number(),
  })
    .index("by_number", ["organizationId", "number"])
    .index("by_end", ["organizationId", "to"]),

  /**
   * A requester's say about an answer: app/jobs/rating.ts. A job has one at most. Deleted 90 days after it was first given, when the job is
   * gone, too. Written by model/ratings/.
   */
  ratings: defineTable({
    organizationId: v.id("organizations"),
    jobId: v.string(),
    /** The owner of the job's key, or the key if it is nobody's: app/trust/ratings.ts. */
    rater: v.string(),
    /** The member or the API key that gave it. */
    by: v.string(),
    /** The device whose answer it is. */
    deviceId: v.id("devices"),
    modelId: v.string(),
    /** Whether the device is the requester's own. Such a rating says nothing to others. */
    ownJob: v.optional(v.literal(true)),
    rating,
    reason: v.optional(ratingReason),
    comment: v.optional(v.string()),
    /** The time of its last change. */
    ratedAt: v.number(),
    /** Absent: the answer is not disputed. */
    dispute: v.optional(disputeState),
    disputedAt: v.optional(v.number()),
    decision: v.optional(disputeDecision),
  })
    .index("by_job", ["jobId"])
    .index("by_device", ["deviceId", "modelId", "ratedAt"])
    .index("by_dispute", ["organizationId", "dispute", "disputedAt"]),

  /** A requester's file: the requests of a batch, or its answers so far. Written by model/files/files.ts. */
  files: defineTable({
    organizationId: v.id("organizations"),
    apiKeyId: v.id("apiKeys"),
    name: v.string(),
    purpose: filePurpose,
    bytes: v.number(),
    parts: v.array(filePart),
    createdAt: v.number(),
    /** Its end. While a batch reads or writes it, it is later than that of the batch. */
    expiresAt: v.number(),
  })
    .index("by_key", ["apiKeyId"])
    .index("by_end", ["expiresAt"]),

  /** A file that comes in parts, for an hour. Written by model/files/uploads.ts. Times are ms epoch. */
  uploads: defineTable({
    apiKeyId: v.id("apiKeys"),
    name: v.string(),
    /** Of the whole file, as announced. */
    bytes: v.number(),
    keptSeconds: v.optional(v.number()),
    status: uploadStatus,
    createdAt: v.number(),
    expiresAt: v.number(),
    /** Once it is completed. */
    fileId: v.optional(v.id("files")),
  })
    .index("by_key", ["apiKeyId", "status"])
    .index("by_end", ["expiresAt"]),

  /** A part of an upload that is not completed: its first piece, and those behind it. */
  uploadParts: defineTable({
    uploadId: v.id("uploads"),
    ...filePart.fields,
    more: v.optional(v.array(filePart)),
  }).index("by_upload", ["uploadId"]),

  /** A batch of requests. Written by model/batches/. Times are ms epoch. */
  batches: defineTable({
    organizationId: v.id("organizations"),
    apiKeyId: v.id("apiKeys"),
    inputFileId: v.id("files"),
    endpoint: batchEndpoint,
    /** As it was asked for, such as "24h". */
    window: v.string(),
    /** As JSON, since Convex does not accept any text as a name. */
    metadata: v.union(v.string(), v.null()),
    /** How long its files are kept from their creation. Absent: for 30 days after its window. */
    outputKeptMs: v.optional(v.number()),
    /** Of the key and its idempotency key, by which a repeated call finds the batch. */
    idempotencyHash: v.optional(v.string()),
    status: batchStatus,
    /** Absent once it has ended. */
    open: v.optional(v.literal(true)),
    createdAt: v.number(),
    expiresAt: v.number(),
    startedAt: v.optional(v.number()),
    cancelingAt: v.optional(v.number()),
    endedAt: v.optional(v.number()),
    /** The queue's batch, which has its jobs. Absent until its first requests are submitted. */
    queueBatchId: v.optional(v.string()),
    /** Requests in the file. 0 before it was checked. */
    total: v.number(),
    /** The jobs that they are. Absent: as many. */
    jobs: v.optional(v.number()),
    /** Jobs beyond the first of each request that is submitted, and whose end is in no file yet. Absent: none. */
    furtherJobs: v.optional(v.number()),
    /** How far the file is cut into jobs. `lines`: with the blank ones. */
    cut: v.object({ bytes: v.number(), lines: v.number(), requests: v.number() }),
    isCut: v.boolean(),
    /** When somebody last went on to cut it, or will. */
    cutAt: v.number(),
    /** Why the last step could not go on. Absent if it could. */
    cutWaitsFor: v.optional(cutWait),
    /** When ends of its requests were last collected. */
    collectedAt: v.number(),
    /** Requests that ended, and whose answers or errors are in the files. */
    completed: v.number(),
    failed: v.number(),
    /** Of the failed ones: those that the batch's end cut off. */
    expired: v.number(),
    usage,
    priceMicro: v.int64(),
    outputFileId: v.optional(v.id("files")),
    errorFileId: v.optional(v.id("files")),
    /** Why it did not start. */
    mistakes: v.array(lineMistake),
    /** The model of most of its requests. Absent: not known, and in batches of earlier versions. */
    model: v.optional(v.string()),
    /** Most of its requests have the high priority. Absent: most have the low one, also in batches of earlier versions. */
    isHigh: v.optional(v.literal(true)),
    /** Lines whose answers checks found wrong, at most 100, and how many they are. Written by model/batches/wrongLines.ts. */
    wrongLines: v.optional(v.array(wrongLine)),
    wrongCount: v.optional(v.number()),
    /** Its forecast of the last minute. Absent: none could be made. Written by model/batches/forecast.ts. */
    forecast: v.optional(batchForecast),
    /** Hours of the fleet's devices that each job was expected to take, before the batch began. Absent: not known. */
    workHours: v.optional(v.number()),
    /** The error of that expectation once the batch has ended, as a logarithm. Absent: not known. Written by model/batches/work.ts. */
    workError: v.optional(v.number()),
  })
    .index("by_key", ["apiKeyId"])
    .index("by_organization", ["organizationId", "status"])
    .index("by_creation", ["organizationId", "createdAt"])
    .index("by_idempotency", ["idempotencyHash"])
    .index("by_input", ["inputFileId", "open"])
    .index("by_open", ["open", "apiKeyId"]),

  /** The end of a batch's request that is in no file yet. Written by the end of its job, deleted by model/batches/collect.ts. */
  batchEnds: defineTable({
    batchId: v.id("batches"),
    line: v.number(),
    customId: v.string(),
    /** Absent: it never had a job. Of several jobs: the first one. */
    jobId: v.optional(v.string()),
    /** Only of several jobs, in the order of the answer. */
    jobIds: v.optional(v.array(v.string())),
    /** Absent: all its jobs have answers. */
    failure: v.optional(lineFailure),
  }).index("by_batch", ["batchId"]),

  /** A batch's request that is several jobs, until all of them have ended. Written by model/batches/severalJobs.ts. */
  batchLines: defineTable({
    batchId: v.id("batches"),
    line: v.number(),
    customId: v.string(),
    jobIds: v.array(v.string()),
    /** How many of them have not ended. */
    open: v.number(),
    /** That of the first one that failed. */
    failure: v.optional(lineFailure),
  }),

  /** Whether a batch's ends are about to be collected. Each end reads it, so it changes seldom. */
  batchCollections: defineTable({ batchId: v.id("batches"), scheduled: v.boolean() }).index("by_batch", [
    "batchId",
  ]),

  /**
   * The donating devices of an organization hour by hour on one day (UTC), from which batches are forecast. Written once a minute
   * by model/batches/forecast.ts, and kept for six weeks.
   */
  capacityDays: defineTable({
    organizationId: v.id("organizations"),
    startAt: v.number(),
    hours: v.array(capacityHour),
  }).index("by_organization", ["organizationId", "startAt"]),

  /** The source of truth about money. Append-only; written only by model/ledger/transfer.ts. */
  ledgerEntries: defineTable({
    organizationId: v.id("organizations"),
    /** Entries with one key are one transfer and sum to zero. A key is booked once. */
    transferKey: v.string(),
    kind: literals("issue", "reserve", "settle", "release", "move", "payout", "expire"),
    account: v.string(),
    micro: v.int64(),
    at: v.number(),
    jobId: v.optional(v.string()),
    /** Of the job's price: app/money/price-list.ts. Absent in entries of no job, and in old ones. */
    priceVersion: v.optional(v.string()),
  })
    .index("by_transfer", ["transferKey"])
    .index("by_organization", ["organizationId"]),

  /** Entries that are not in `accounts` yet. Written by transfer.ts, deleted by the projector. */
  ledgerPending: defineTable({
    organizationId: v.id("organizations"),
    transferKey: v.string(),
    account: v.string(),
    micro: v.int64(),
    at: v.number(),
    /** 1 on the entry that pays a device for a job, else 0. */
    jobs: v.number(),
    /** How the job ended; only on the entry that closes a reservation. */
    outcome: v.optional(outcome),
    /** The addition of a key's job to the use of its day, besides `micro`. `at`: the time of its submission. */
    counts: v.optional(v.object({ at: v.number(), requests: v.number(), tokens: v.number() })),
    /** The start of the month (UTC) in which the credits were earned. Absent: that of `at`. */
    earnedAt: v.optional(v.number()),
    /** The part of a device's pay that bonus hours added. */
    bonusMicro: v.optional(v.int64()),
    /** To whom the device belonged when it was paid; null: to nobody. Absent in other entries, and in those of earlier versions. */
    owner: v.optional(v.union(owner, v.null())),
    /** Set on debits of devices that take pay back. */
    takenBack: v.optional(v.boolean()),
    /** Set on debits of keys that `keyHolds` has. */
    held: v.optional(v.boolean()),
    /** Set on entries that only move credits between keys and escrow: totals tell the two together. */
    reserves: v.optional(v.boolean()),
  })
    .index("by_transfer", ["transferKey"])
    .index("by_account", ["account"])
    .index("by_organization_reserves", ["organizationId", "reserves"]),

  /** The projection: balances without the pending entries. Written only by the projector. */
  accounts: defineTable({
    organizationId: v.id("organizations"),
    account: v.string(),
    balanceMicro: v.int64(),
    jobs: v.number(),
    /** The balance of a device or a wallet by the months in which it was earned. Absent in rows of earlier versions. */
    lots: v.optional(v.array(lot)),
    /** The part of its earnings that its owner has moved elsewhere. Absent: nothing. */
    movedMicro: v.optional(v.int64()),
    /** All debits of a key that `keyHolds` had and that are in the balance now. Absent: none. */
    heldMicro: v.optional(v.int64()),
  })
    .index("by_account", ["account"])
    .index("by_organization", ["organizationId"]),

  /**
   * Debits of a key, noted by the submissions that make them: so its balance never falls below zero before the projector has added them. Several rows
   * share the key's balance, so that its calls do not conflict. Written by model/ledger/holds.ts.
   */
  keyHolds: defineTable({
    apiKeyId: v.id("apiKeys"),
    /** From 0. The last one is for batches. */
    shard: v.number(),
    /** Credits that only submissions of this row may take. */
    leftMicro: v.int64(),
    /** All that they have ever taken. `accounts.heldMicro` says how much of all rows is projected. */
    spentMicro: v.int64(),
  }).index("by_key", ["apiKeyId", "shard"]),

  /**
   * How much of their bounds the jobs of a key used, by model and by the size of the limit: app/money/likely.ts. Written once a minute by
   * model/ledger/likely.ts, never by a job.
   */
  jobShares: defineTable({
    apiKeyId: v.id("apiKeys"),
    modelId: v.string(),
    boundClass: v.number(),
    prompt: v.array(v.number()),
    answer: v.array(v.number()),
  }).index("by_key", ["apiKeyId", "modelId", "boundClass"]),

  /** The part of it that submissions read. Apart, since it changes seldom. Written by model/ledger/likely.ts. */
  likelyShares: defineTable({
    apiKeyId: v.id("apiKeys"),
    modelId: v.string(),
    boundClass: v.number(),
    prompt: v.number(),
    answer: v.number(),
  }).index("by_key", ["apiKeyId", "modelId", "boundClass"]),

  /** The jobs of a key that ended in one month (UTC), by price. Written once a minute by model/credits/keyStatement.ts. */
  keyMonths: defineTable({
    organizationId: v.id("organizations"),
    apiKeyId: v.id("apiKeys"),
    startAt: v.number(),
    charges: v.array(keyCharge),
    free: keyFree,
  }).index("by_key", ["apiKeyId", "startAt"]),

  /** Credits that a key was given, or that were taken back, for its statements. Those of one day with one note are one row, and so are those older than statements; written with the ledger's transfer. */
  keyMoves: defineTable({
    apiKeyId: v.id("apiKeys"),
    at: v.number(),
    /** Negative if it has less afterward. */
    micro: v.int64(),
    source: v.optional(keyMoveSource),
    note: v.optional(v.string()),
  }).index("by_key", ["apiKeyId", "at"]),

  /** Balances by kind of account, and jobs by outcome. One row per organization; written only by the projector. */
  ledgerTotals: defineTable({
    organizationId: v.id("organizations"),
    ended: v.object({
      succeeded: v.number(),
      failed: v.number(),
      canceled: v.number(),
      expired: v.number(),
    }),
    byKind: amountsByKind,
    /** The part of the earnings that owners of devices have moved elsewhere. Absent: nothing. */
    movedMicro: v.optional(v.int64()),
  }).index("by_organization", ["organizationId"]),

  /** A device's earnings per quarter of an hour: every time zone's day starts on one. Written by the projector. */
  earnings: defineTable({
    account: v.string(),
    startAt: v.number(),
    micro: v.int64(),
    jobs: v.number(),
  }).index("by_account", ["account", "startAt"]),

  /**
   * The credits that the devices of a member or a team earned in one month (UTC), from the ledger: for the owner of the device at that time.
   * Written by the projector, for statements.
   */
  earnedMonths: defineTable({
    organizationId: v.id("organizations"),
    owner,
    startAt: v.number(),
    devices: v.array(earnedOfDevice),
  }).index("by_owner", ["owner", "startAt"]),

  /** The bonus that a device got on the last day (UTC) with bonus hours. Written by model/credits/bonus.ts. */
  bonusDays: defineTable({ deviceId: v.id("devices"), startAt: v.number(), micro: v.int64() }).index(
    "by_device",
    ["deviceId"],
  ),

  /** The rules for the credits that members earned. Written by model/credits/houseRules.ts. */
  houseRules: defineTable({
    organizationId: v.id("organizations"),
    ...houseRules.fields,
    /** When `expireMonths` was set. */
    expireSetAt: v.number(),
    /** How the organization uses checks of answers. Absent: it only watches. Written by model/trust/mode.ts. */
    checks: v.optional(checkMode),
    /** Prompts of canaries in place of the built-in ones, and the key that asks canaries. Written by model/trust/canaries/pool.ts. */
    canaries: v.optional(v.array(v.string())),
    canaryKey: v.optional(v.id("apiKeys")),
  }).index("by_organization", ["organizationId"]),

  /** How devices stand with models. Written by model/trust/standings.ts, in the background of jobs. */
  standings: defineTable({
    organizationId: v.id("organizations"),
    deviceId: v.id("devices"),
    modelId: v.string(),
    standing,
    /** The sum of the shares of its jobs since its last replay: app/trust/replay-chance.ts. */
    owed: v.number(),
    /** Replays of its answers that wait or run. */
    waiting: v.number(),
    /** Nobody could check its last answer that was to be checked: no other device has the model, or the answer shows nothing of it. */
    unchecked: v.optional(v.boolean()),
    /**
     * Its last answer in a format was odd, of those that tell something. Only devices with other grammars said so, so a canary has to tell.
     */
    oddFormat: v.optional(v.boolean()),
    /** When it got its last canary. Absent: never. */
    canaryAt: v.optional(v.number()),
  }).index("by_device", ["deviceId", "modelId"]),

  /**
   * Until when the pay of a device with a model is not held, ms epoch: 0 while it is. It follows from the standing, which each job changes,
   * while the end of each job reads this row. Written by model/trust/standings.ts.
   */
  probations: defineTable({
    organizationId: v.id("organizations"),
    deviceId: v.id("devices"),
    modelId: v.string(),
    from: v.number(),
  }).index("by_device", ["deviceId", "modelId"]),

  /** A request that the organization asks of two devices, to test one of them. Kept for 90 days. Written by model/trust/canaries/. */
  canaries: defineTable({
    organizationId: v.id("organizations"),
    modelId: v.string(),
    /** The devices that were meant to answer: the tested one, one to compare with, and a third one if these cannot tell. */
    deviceIds: v.array(v.id("devices")),
    /** Their jobs, in the same order. */
    jobIds: v.array(v.string()),
    state: canaryState,
  }).index("by_organization", ["organizationId"]),

  /** A job that replays an answer on another device. Kept for 90 days. Written by model/trust/. */
  replays: defineTable({
    organizationId: v.id("organizations"),
    jobId: v.string(),
    /** The job whose answer it is, and its device. */
    of: v.string(),
    deviceId: v.id("devices"),
    modelId: v.string(),
    /** The file of the model. */
    sha256: v.string(),
    /** The kind of computer that gave the answer. */
    deviceClass: v.optional(v.string()),
    /** A bound of the compared tokens: the bytes of a text, or what its vectors count as. */
    answerBytes: v.number(),
    /** Of a text: a bound of its tokens that a reader does not count. Absent: reported tokens are not compared. */
    unseenTokens: v.optional(v.number()),
    /** The case for which it was asked. Absent: it is the first of the answer. */
    caseId: v.optional(v.id("trustCases")),
    /** `undone`: it was not done in time, failed, or its report was not heard. */
    state: literals("waiting", "done", "undone"),
    /** Reports in place of which it was asked, as they were not heard. Absent: none. */
    unheard: v.optional(v.number()),
    /** Its result. Absent before. */
    voice: v.optional(voice),
  })
    .index("by_job", ["jobId"])
    .index("by_device", ["deviceId"])
    .index("by_organization", ["organizationId"])
    .index("by_state", ["state"]),

  /** A doubted answer: app/trust/case.ts. Kept for 400 days. Written by model/trust/cases.ts. */
  trustCases: defineTable({
    organizationId: v.id("organizations"),
    /** The job of the answer, and its device. */
    jobId: v.string(),
    deviceId: v.id("devices"),
    modelId: v.string(),
    /** Whether the answer fits by itself, and all answers of the device together are odd. */
    isSeries: v.boolean(),
    /** The devices that replayed it, in their order. */
    voices: v.array(voice),
    state: caseState,
    closedAt: v.optional(v.number()),
    /** Its end took this from the device: the price of the answer that was paid already. */
    takenMicro: v.optional(v.int64()),
  })
    .index("by_organization", ["organizationId"])
    .index("by_device", ["deviceId"]),

  /** The regrets and misses of honest answers in a class of computers: app/trust/honest-replays.ts. Written by model/trust/limits.ts. */
  honestReplays: defineTable({
    organizationId: v.id("organizations"),
    class: v.string(),
    regrets: v.array(v.number()),
    /** Missing in rows of earlier versions, which kept the regrets only. */
    missShares: v.optional(v.array(v.number())),
  }).index("by_class", ["organizationId", "class"]),

  /** The work of answers and of replays, of which older work counts less. Written by model/trust/spending.ts. */
  checkSpending: defineTable({
    organizationId: v.id("organizations"),
    answers: v.number(),
    /** Micro-credits. */
    micro: v.number(),
    answerMs: v.number(),
    replayMs: v.number(),
    at: v.number(),
    /** When somebody last looked for a device that needs a canary. */
    canaryAt: v.optional(v.number()),
    /** The next step of the run that goes through `checkBatches`. Absent: none goes on. */
    choosing: v.optional(v.id("_scheduled_functions")),
  }).index("by_organization", ["organizationId"]),

  /** Ended jobs whose checks are not chosen yet. Written by model/statistics/seal.ts, and deleted by model/trust/sample.ts. */
  checkBatches: defineTable({ organizationId: v.id("organizations"), jobs: v.array(endedJob) }).index(
    "by_organization",
    ["organizationId"],
  ),

  /** Pay of an answer or a replay that waits for a check. Deleted when it is released or refused. Written by model/trust/pay.ts. */
  heldPays: defineTable({
    organizationId: v.id("organizations"),
    jobId: v.string(),
    deviceId: v.id("devices"),
    modelId: v.string(),
    apiKeyId: v.id("apiKeys"),
    /** With the bonus. */
    micro: v.int64(),
    bonusMicro: v.int64(),
    at: v.number(),
    /** To whom the device belonged then. Absent: to nobody. */
    owner: v.optional(owner),
    /** An open case about the answer. Its end alone releases or refuses the pay, if the organization still acts. */
    caseId: v.optional(v.id("trustCases")),
    /** Set if it was paid already when the case began. */
    paidBefore: v.optional(v.literal(true)),
  })
    .index("by_job", ["jobId"])
    .index("by_device", ["deviceId", "modelId", "paidBefore", "caseId"])
    .index("by_owner", ["owner", "paidBefore"])
    .index("by_organization", ["organizationId"]),

  /**
   * A change of the credits of a member that is no pay for a job: for their list and their statements. Append-only; written by
   * model/credits/, with the ledger's transfer.
   */
  creditMoves: defineTable({
    organizationId: v.id("organizations"),
    owner,
    kind: creditMoveKind,
    /** Negative if the member has less afterward. */
    micro: v.int64(),
    at: v.number(),
    /** The key, the colleague or the team; of a grant, a taking back and an allowance the administrator. */
    other: v.optional(v.union(v.id("apiKeys"), v.id("members"), v.id("teams"))),
    /** Of an allowance. */
    period: v.optional(paidPeriod),
    note: v.optional(v.string()),
  })
    .index("by_owner", ["owner", "at"])
    .index("by_time", ["organizationId", "at"]),

  /** A payout that a member asked for. Written by model/credits/payouts.ts. */
  payouts: defineTable({
    organizationId: v.id("organizations"),
    memberId: v.id("members"),
    micro: v.int64(),
    /** The months in which the credits were earned, for a refusal. */
    lots: v.array(lot),
    /** The terms when it was asked for. */
    currency: v.string(),
    perCreditMicro: v.int64(),
    note: v.optional(v.string()),
    askedAt: v.number(),
    state: payoutState,
    decidedAt: v.optional(v.number()),
    decidedBy: v.optional(v.id("members")),
    /** Why it was refused. */
    reason: v.optional(v.string()),
  })
    .index("by_member", ["memberId", "state"])
    .index("by_member_time", ["memberId", "askedAt"])
    .index("by_state", ["organizationId", "state", "decidedAt"])
    .index("by_time", ["organizationId", "askedAt"]),

  /**
   * What happened to the jobs that ended in a bucket of time, by model, lane, key and device. One row per kind of subject and
   * bucket: the tallies of its subjects, which are bounded in number and size. Written once a minute by
   * model/statistics/, never by a job.
   */
  statistics: defineTable({
    organizationId: v.id("organizations"),
    by: subjectKind,
    /** The bucket's length: five minutes, an hour or a day; 0 for the sums of all time. */
    spanMs: v.number(),
    /** ms epoch; 0 for the sums of all time. */
    startAt: v.number(),
    subjects: v.array(v.object({ subject: v.string(), tally })),
  }).index("by_bucket", ["organizationId", "spanMs", "by", "startAt"]),

  /** How far the ledger is counted in an organization's statistics. Written by model/statistics/seal.ts. */
  statisticsProgress: defineTable({
    organizationId: v.id("organizations"),
    /** Entries that were created up to then are counted; ms epoch with fractions, as Convex creates rows. */
    countedTo: v.number(),
    /** Buckets of five minutes before then are in buckets of hours, and those of hours in days. */
    hoursTo: v.number(),
    daysTo: v.number(),
    /** Jobs that ended since then are counted by owner, and in `usageMonths`. Absent: none yet. */
    usageFrom: v.optional(v.number()),
  }).index("by_organization", ["organizationId"]),

  /**
   * The days of one month (UTC) of a key, a member, a team, a device or the organization: what it spent or earned. Written
   * once a minute by model/statistics/addUsage.ts, and kept for 13 months.
   */
  usageMonths: defineTable({
    organizationId: v.id("organizations"),
    /** The id of its subject. */
    subject: v.string(),
    startAt: v.number(),
    days: v.array(daySum),
    /** The part of a key's days that jobs cost which were submitted in earlier months. */
    earlierMicro: v.optional(v.int64()),
  }).index("by_subject", ["subject", "startAt"]),

  /** The jobs of the keys of a member or a team on one day (UTC), by key and by model. Written and kept as `usageMonths`. */
  ownUsageDays: defineTable({
    organizationId: v.id("organizations"),
    owner,
    startAt: v.number(),
    keys: v.array(v.object({ subject: v.string(), tally })),
    models: v.array(v.object({ subject: v.string(), tally })),
  }).index("by_owner", ["owner", "startAt"]),

  /** The prices and figures that an organization compares its usage with. Written by console/usage.setFacts. */
  usageFacts: defineTable({ organizationId: v.id("organizations"), ...usageFacts.fields }).index(
    "by_organization",
    ["organizationId"],
  ),

  /** The credits that a key, a member or a team should not exceed in a month. Written by console/budgets.set. */
  budgets: defineTable({
    organizationId: v.id("organizations"),
    subject: budgetSubject,
    monthlyMicro: v.int64(),
    /** New jobs are refused once it is used up. Absent: it only warns. */
    stops: v.optional(v.boolean()),
    createdAt: v.number(),
    /** The last warning, and the start of its month. Written by model/alerts/budgetWarnings.ts. */
    warned: v.optional(v.object({ month: v.number(), state: v.union(v.literal("near"), v.literal("over")) })),
  })
    .index("by_organization", ["organizationId"])
    .index("by_subject", ["subject"]),

  /**
   * The part of a budget that only submissions of this row may take, so that the calls of its keys do not conflict. Only of budgets that
   * stop. Written by model/usage/budgetStops.ts.
   */
  budgetHolds: defineTable({
    budgetId: v.id("budgets"),
    /** As in `keyHolds`. */
    shard: v.number(),
    /** The start of the month (UTC) of which it is a part. In later months there is nothing left of it. */
    month: v.number(),
    leftMicro: v.int64(),
    /** All that submissions of this row have taken. */
    spentMicro: v.int64(),
    /** That all rows together had taken and left so much of the month's budget, when somebody last looked at its jobs. */
    known: v.optional(v.object({ at: v.number(), micro: v.int64() })),
    /** Set near the end of the budget: then nothing is left of the portion, so that its jobs are looked at again. */
    until: v.optional(v.number()),
  }).index("by_budget", ["budgetId", "shard"]),

  /**
   * The jobs that had not ended, minute by minute in one hour: of all jobs, of a model, a lane or a key. Those without such
   * jobs have no sample. The subject "" of a model, a lane or a key is all others. Written by fleet/steps.addDepth, and kept for eight days.
   */
  queueDepths: defineTable({
    organizationId: v.id("organizations"),
    by: depthKind,
    subject: v.string(),
    startAt: v.number(),
    samples: v.array(depthSample),
  })
    .index("by_subject", ["organizationId", "by", "subject", "startAt"])
    .index("by_start", ["organizationId", "startAt"]),

  /**
   * An organization's devices by state, group, platform and version. Added up from `deviceListings` once a minute, by
   * model/fleet/countListings.ts.
   */
  deviceCounts: defineTable({
    organizationId: v.id("organizations"),
    states: deviceCounts,
    /** Absent in rows of earlier versions. */
    facets: v.optional(v.array(facetCount)),
    /** Changes of workers up to then are in `deviceListings`. Absent: none. */
    readTo: v.optional(v.number()),
  }).index("by_organization", ["organizationId"]),

  /**
   * The two numbers of devices that the overview shows. A row of its own, written only when one of them changes, so that no
   * other change runs the overview again. Written by model/fleet/counts.ts.
   */
  fleetTotals: defineTable({
    organizationId: v.id("organizations"),
    online: v.number(),
    donating: v.number(),
  }).index("by_organization", ["organizationId"]),

  /** Whether a fleet is too large to be counted with each change. Written by model/fleet/counts.ts when that changes. */
  fleetSizes: defineTable({
    organizationId: v.id("organizations"),
    isLarge: v.boolean(),
  }).index("by_organization", ["organizationId"]),

  /**
   * A device as lists filter and sort it: a copy of facts that stand in `devices` and in the queue's worker. Written by
   * model/fleet/listing.ts when one of them changes. A worker that is lost is noticed once a minute.
   */
  deviceListings: defineTable({
    organizationId: v.id("organizations"),
    deviceId: v.id("devices"),
    owner: v.optional(owner),
    name: v.string(),
    /** The name in the order of lists: small letters, and numbers by their value. */
    sortName: v.string(),
    ...listingFacts,
    placedBy: v.optional(placedBy),
    enrolledAt: v.number(),
    changedAt: v.number(),
    /** The facts that `deviceCounts` counts of it. Absent: none yet. */
    counted: v.optional(countedListing),
    /** Whether these differ from the device's facts. */
    recount: v.boolean(),
    /** Why it needs attention. Absent: nothing. */
    concerns: v.optional(v.array(deviceConcern)),
    /** Whether it needs attention. */
    attention: v.optional(v.boolean()),
    /** Whether it has ever donated. */
    hasDonated: v.optional(v.boolean()),
    /** When its concerns may change without a change of its facts. */
    recheckAt: v.optional(v.number()),
  })
    .index("by_device", ["deviceId"])
    .index("by_name", ["organizationId", "sortName"])
    .index("by_enrolled", ["organizationId", "enrolledAt"])
    .index("by_changed", ["organizationId", "changedAt"])
    .index("by_state_name", ["organizationId", "state", "sortName"])
    .index("by_state_enrolled", ["organizationId", "state", "enrolledAt"])
    .index("by_state_changed", ["organizationId", "state", "changedAt"])
    .index("by_owner_name", ["owner", "sortName"])
    .index("by_owner_enrolled", ["owner", "enrolledAt"])
    .index("by_owner_changed", ["owner", "changedAt"])
    .index("by_attention_name", ["organizationId", "attention", "sortName"])
    .index("by_attention_enrolled", ["organizationId", "attention", "enrolledAt"])
    .index("by_attention_changed", ["organizationId", "attention", "changedAt"])
    .index("by_recheck", ["organizationId", "recheckAt"])
    .index("by_recount", ["organizationId", "recount"])
    .searchIndex("search_name", {
      searchField: "name",
      filterFields: ["organizationId", "state", "owner", "platform", "version"],
    }),

  /** Rules that put devices into groups. The first one that a device fits places it. Written by model/fleet/groupRules/. */
  groupRules: defineTable({
    organizationId: v.id("organizations"),
    /** Its place in the order, from 0. */
    rank: v.number(),
    group: v.string(),
    filter: v.object(ruleFilters),
  }).index("by_rank", ["organizationId", "rank"]),

  /** A member's saved view of the devices. Written by model/fleet/views.ts. */
  deviceViews: defineTable({
    organizationId: v.id("organizations"),
    memberId: v.id("members"),
    name: v.string(),
    view: viewSettings,
    /** Whether all who see all devices have it, too. */
    shared: v.boolean(),
    createdAt: v.number(),
  })
    .index("by_member", ["memberId", "shared"])
    .index("by_shared", ["organizationId", "shared"]),

  /**
   * The states of a device on one day (UTC) with their reasons, for its timeline. Written at transitions by model/fleet/journal.ts, and
   * kept for eight days.
   */
  deviceDays: defineTable({
    organizationId: v.id("organizations"),
    deviceId: v.id("devices"),
    startAt: v.number(),
    spans: v.array(deviceSpan),
  }).index("by_device", ["deviceId", "startAt"]),

  /** All that needs attention in an organization: one row each. Written once a minute by model/alerts/attention.ts. */
  attention: defineTable({
    organizationId: v.id("organizations"),
    items: v.array(attentionItem),
  }).index("by_organization", ["organizationId"]),

  /**
   * The addresses that are told of events. Each end of a job reads those of its organization, so all that changes with
   * deliveries is in `webhookStates`. Written by model/webhooks/endpoints.ts and disable.ts.
   */
  webhooks: defineTable({
    organizationId: v.id("organizations"),
    /** Absent in webhooks of earlier versions: its host. */
    name: v.optional(v.string()),
    url: v.string(),
    /** Sealed (model/signIn/sealed.ts). */
    secret: v.string(),
    /** The secret before the last one. Messages are signed with it, too, until then. Sealed. */
    previous: v.optional(v.object({ secret: v.string(), until: v.number() })),
    /** Absent in webhooks of earlier versions: alerts. */
    events: v.optional(v.array(webhookEvent)),
    /** Only events of this key. Absent: of all. */
    apiKeyId: v.optional(v.id("apiKeys")),
    /** `why`: who or what disabled it. "gone": the receiver said so. */
    disabled: v.optional(v.object({ at: v.number(), why: disabledBy })),
    createdAt: v.number(),
    /** The last change of the fields above. Absent: none. */
    changedAt: v.optional(v.number()),
    /** Only in webhooks of earlier versions. */
    last: v.optional(v.object({ at: v.number(), error: v.union(v.string(), v.null()) })),
  }).index("by_organization", ["organizationId"]),

  /** A removed webhook. Kept, so that a restore does not bring it back. */
  removedWebhooks: defineTable({ webhookId: v.id("webhooks"), removedAt: v.number() }).index("by_webhook", [
    "webhookId",
  ]),

  /**
   * The time at which the deliveries of a webhook go on. Each event reads it, so it changes seldom. Written by model/webhooks/pump.ts and
   * deliveries.ts.
   */
  webhookPumps: defineTable({
    webhookId: v.id("webhooks"),
    /** The time of the next run, or of the one that goes on. Absent: there is nothing to do. */
    wakeAt: v.optional(v.number()),
    /** The receiver is too slow or fails. Then frequent events are only counted. */
    full: v.boolean(),
  })
    .index("by_webhook", ["webhookId"])
    .index("by_wake", ["wakeAt"]),

  /** How the deliveries of a webhook go. Written by model/webhooks/pump.ts, disable.ts and replay.ts. */
  webhookStates: defineTable({
    webhookId: v.id("webhooks"),
    /** The last try. `error`: why it failed. */
    last: v.optional(v.object({ at: v.number(), error: v.union(v.string(), v.null()) })),
    /** The first try that failed since the last delivery. */
    failingSince: v.optional(v.number()),
    /** Deliveries that wait for their second try or a later one. */
    retrying: v.number(),
    /** Events that were not sent because the webhook was disabled or full, and when the last one was counted. */
    skipped: v.number(),
    skippedAt: v.optional(v.number()),
  }).index("by_webhook", ["webhookId"]),

  /** An event that is not sent, until it is counted. Ends of jobs only insert here, so that they do not conflict. */
  webhookSkips: defineTable({ webhookId: v.id("webhooks") }).index("by_webhook", ["webhookId"]),

  /** A message to a webhook. Kept for 30 days. Written by model/webhooks/. */
  webhookDeliveries: defineTable({
    webhookId: v.id("webhooks"),
    type: v.string(),
    /** The event's `data` as JSON: ids and states, and the words of alerts. Never a prompt or an answer. */
    data: v.string(),
    /**
     * The address of the webhook when it was sent or sent again, and the key of its job or batch; null: it is of the organization.
     * Absent in deliveries of earlier versions.
     */
    target: v.optional(v.object({ url: v.string(), apiKeyId: v.union(v.id("apiKeys"), v.null()) })),
    createdAt: v.number(),
    state: deliveryState,
    /** The time of the next try. Absent after the last one. */
    dueAt: v.optional(v.number()),
    /** Tries that failed since it was sent or sent again. */
    tries: v.number(),
    /** The latest tries, oldest first. */
    attempts: v.array(deliveryAttempt),
  })
    .index("by_time", ["webhookId", "createdAt"])
    .index("by_state", ["webhookId", "state", "createdAt"])
    .index("by_due", ["webhookId", "dueAt"])
    .index("by_age", ["createdAt"]),

  /** The members who get alerts by mail. Written by model/alerts/mails.ts. */
  alertMails: defineTable({
    organizationId: v.id("organizations"),
    memberId: v.id("members"),
    /** Ends these mails. Each of them has it in a link. Sealed (model/signIn/sealed.ts). */
    token: v.string(),
    tokenHash: v.string(),
    createdAt: v.number(),
    /** News for the next mail, oldest first, and how many more there were. */
    waiting: v.array(alertNews),
    more: v.number(),
    /** When the next try is due. Absent while no news wait. */
    dueAt: v.optional(v.number()),
    /** Tries of the next mail that failed. */
    tries: v.number(),
    sentAt: v.optional(v.number()),
    /** The last try. `error`: why it failed. */
    last: v.optional(v.object({ at: v.number(), error: v.union(v.string(), v.null()) })),
  })
    .index("by_organization", ["organizationId"])
    .index("by_token", ["tokenHash"]),

  /** An act on many devices, from its preview to its undo. Kept for a week. Written by model/fleet/bulk/. */
  bulkActs: defineTable({
    organizationId: v.id("organizations"),
    memberId: v.id("members"),
    sessionId: v.id("sessions"),
    act: bulkAct,
    chosen: bulkChosen,
    state: bulkState,
    counts: v.object({ changes: v.number(), same: v.number(), cannot: v.number() }),
    /** Devices by what they were before, in words. */
    before: v.array(v.object({ words: v.string(), devices: v.number() })),
    batches: v.number(),
    /** Devices that are done, of those to change or to restore. */
    done: v.number(),
    /** From where the member asked for it. Absent in acts of earlier versions. */
    address: v.optional(v.string()),
    /** When the act began; pauses have this time. */
    actedAt: v.optional(v.number()),
    createdAt: v.number(),
  }).index("by_member", ["memberId"]),

  /** The devices of such an act. */
  bulkBatches: defineTable({
    bulkId: v.id("bulkActs"),
    index: v.number(),
    targets: v.array(bulkTarget),
  }).index("by_act", ["bulkId", "index"]),

  /** The token with which an organization's metrics are read: one at most is not revoked. Written by model/statistics/token.ts. */
  metricsTokens: defineTable({
    organizationId: v.id("organizations"),
    tokenHash: v.string(),
    createdAt: v.number(),
    /** Kept, so that a restore does not bring the token back. */
    revokedAt: v.optional(v.number()),
  })
    .index("by_hash", ["tokenHash"])
    .index("by_organization", ["organizationId", "revokedAt"]),

  /** The audit trail. Append-only; written only by `record` in model/audit.ts. The order is that of creation. */
  audit: defineTable({
    organizationId: v.id("organizations"),
    at: v.number(),
    /** "member", "api-key", or a word for another actor. */
    actor: v.string(),
    memberId: v.optional(v.id("members")),
    sessionId: v.optional(v.id("sessions")),
    keyId: v.optional(v.id("apiKeys")),
    /** How the session began, and its browser: the session's row does not outlive it. */
    method: v.optional(v.string()),
    agent: v.optional(v.string()),
    /** The IP address of the call; "unknown" if the deployment did not know it. Absent: nobody called, or an old row. */
    address: v.optional(v.string()),
    action: v.string(),
    /** The actor and the action's group, for filters. The sealer adds them to rows of earlier versions. */
    who: v.optional(v.string()),
    group: v.optional(v.string()),
    subject: v.string(),
    /** The changes, in words. */
    detail: v.optional(v.string()),
  })
    // Each index puts rows in the order of time, so none replaces another.
    .index("by_organization", ["organizationId"])
    .index("by_who", ["organizationId", "who"])
    .index("by_who_and_group", ["organizationId", "who", "group"])
    .index("by_who_and_action", ["organizationId", "who", "action"])
    .index("by_group", ["organizationId", "group"])
    .index("by_action", ["organizationId", "action"])
    .index("by_subject", ["organizationId", "subject"]),

  /** How long an organization keeps rows before they move into archives; days by kind. Written by model/archives/retention.ts. */
  retentions: defineTable({
    organizationId: v.id("organizations"),
    /** Kinds that are missing have the default. */
    days: v.record(v.string(), v.number()),
  }).index("by_organization", ["organizationId"]),

  /**
   * A file of rows that left the database. Written by model/archives/, which deletes the rows after it has stored the file and noted its
   * hash here. Archives are kept.
   */
  archives: defineTable({
    organizationId: v.id("organizations"),
    ...archiveFacts,
    storageId: v.id("_storage"),
    at: v.number(),
    /** Rows that are deleted by now. */
    cleared: v.number(),
    /** Absent until all of them are. */
    doneAt: v.optional(v.number()),
    /** Why no more of them can be deleted. */
    problem: v.optional(v.string()),
    /** Of the audit trail and of receipts: the newest seal that left the database with its rows. */
    seal: v.optional(v.object({ number: v.number(), to: v.number(), hash: v.string() })),
  })
    .index("by_number", ["organizationId", "kind", "number"])
    .index("by_time", ["organizationId", "at"])
    .index("by_storage", ["storageId"]),

  /** The balance of an account in all archives of the ledger: its entries in the ledger come on top. Written by model/archives/clear.ts. */
  ledgerOpenings: defineTable({
    organizationId: v.id("organizations"),
    account: v.string(),
    micro: v.int64(),
  }).index("by_account", ["account"]),

  /** The hash chain over the audit trail; app/audit/chain.ts says what is hashed. Append-only; written by model/auditSeals.ts. */
  auditSeals: defineTable({
    organizationId: v.id("organizations"),
    number: v.number(),
    from: v.number(),
    to: v.number(),
    count: v.number(),
    rows: v.string(),
    previous: v.string(),
    hash: v.string(),
    at: v.number(),
  })
    .index("by_number", ["organizationId", "number"])
    .index("by_end", ["organizationId", "to"]),
});
