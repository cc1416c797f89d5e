/** Actions of the audit trail, in the console's words. The names are stored. */
const actions = {
  "organization.created": "Organization created",
  "sign-in-link.created": "Sign-in link created",
  "admin.signed-in": "Administrator signed in",
  "member.signed-in": "Member signed in",
  "member.sign-in-refused": "Sign-in of a member refused",
  "member.proved": "Member confirmed who they are",
  "sign-in.refused": "Sign-in refused",
  "act.refused": "Act of a member refused",
  "member.signed-out": "Member signed out",
  "member.session-ended": "Session of a member ended",
  "member.invited": "Member invited",
  "member.invitation-revoked": "Invitation revoked",
  "member.joined": "Member joined",
  "member.changed": "Roles or name of a member changed",
  "member.removed": "Member removed",
  "session.idle-time-changed": "Idle time of sessions changed",
  "member.password-set": "Member set a password",
  "member.password-removed": "Member removed the password",
  "member.second-factor-set": "Member set up a second factor",
  "member.second-factor-removed": "Member removed the second factor",
  "member.second-factor-reset": "Second factor of a member reset",
  "member.recovery-code-used": "Member used a recovery code",
  "member.recovery-codes-renewed": "Member made new recovery codes",
  "organization.second-factor-changed": "Who must have a second factor changed",
  "member.passkey-added": "Member added a passkey",
  "member.passkey-renamed": "Member renamed a passkey",
  "member.passkey-removed": "Member removed a passkey",
  "member.password-reset-asked": "Link to reset a password mailed",
  "mail.changed": "Mail server changed",
  "mail.removed": "Mail server removed",
  "member.linked": "Member linked to an account for single sign-on",
  "sign-in-provider.added": "Provider for single sign-on added",
  "sign-in-provider.changed": "Provider for single sign-on changed",
  "sign-in-provider.removed": "Provider for single sign-on removed",
  "sign-in-provider.refused": "Single sign-on refused",
  "team.created": "Team created",
  "team.changed": "Team changed",
  "team.removed": "Team removed",
  "backup.restored": "Backup restored",
  "deployment.function-called": "Function called with the admin key",
  "deployment.data-read": "Data read with the admin key",
  "deployment.data-exported": "Data exported with the admin key",
  "deployment.data-imported": "Data imported with the admin key",
  "deployment.variables-changed": "Environment variables of the server changed",
  "deployment.functions-pushed": "Functions of the server replaced",
  "api-key.created": "API key created",
  "api-key.revoked": "API key revoked",
  "api-key.handed-over": "API key handed over",
  "api-key.rights-changed": "API key rights changed",
  "api-key.access-changed": "API key access changed",
  "api-key.credits-changed": "API key credits changed",
  "api-key.rotated": "API key given a new secret",
  "api-key.former-secret-ended": "Former secret of an API key ended",
  "api-key.expired": "API key expired",
  "api-key.restricted": "API key restricted automatically",
  "api-key.restriction-lifted": "Restriction of an API key lifted",
  "enrolment-code.created": "Enrollment code created",
  "enrolment-code.revoked": "Enrollment code revoked",
  "enrolment-code.reopened": "Revocation of an enrollment code undone",
  "device.enrolled": "Device enrolled",
  "device.approved": "Device approved",
  "device.refused": "Device refused",
  "device.key-registered": "Device registered its signing key",
  "device.handed-over": "Device handed over",
  "device.retired": "Device retired",
  "device.left": "Device left the organization",
  "device.reinstated": "Device reinstated",
  "device.paused": "Device paused automatically",
  "device.resumed": "Device resumed",
  "device.case-opened": "Case about an answer opened",
  "device.case-closed": "Case about an answer closed",
  "device.pause-asked": "Device paused by a person",
  "device.pause-ended": "Pause of a device ended",
  "devices.changed": "Many devices changed at once",
  "devices.change-undone": "Change of many devices undone",
  "device-view.shared": "View of the devices shared",
  "device-view.changed": "Shared view of the devices changed",
  "device-view.unshared": "View of the devices not shared anymore",
  "group-rule.added": "Rule of a group added",
  "group-rule.changed": "Rule of a group changed",
  "group-rule.removed": "Rule of a group removed",
  "group-rule.moved": "Order of the rules of groups changed",
  "device.released-to-rules": "Device left to the rules of groups",
  "version.required": "Oldest version of devices changed",
  "device.labelled": "Device groups, tags and data classes changed",
  "device.limited": "Limits of a device changed",
  "job.canceled": "Job canceled",
  "job.cancel-undone": "Cancel of a job undone",
  "job.priority-undone": "Change of a job's priority undone",
  "job.prioritized": "Priority of a job changed",
  "job.payload-read": "Request and answer of a job looked at",
  "dispute.opened": "Answer of a job disputed",
  "dispute.withdrawn": "Dispute of an answer withdrawn",
  "dispute.settled": "Dispute decided: the answer is wrong",
  "dispute.rejected": "Dispute decided: the answer is right",
  "dispute.reopened": "Dispute of an answer opened again",
  "payload-access.changed": "Access of owners to requests and answers changed",
  "data-classes.changed": "Data classes changed",
  "data-key.destroyed": "Data key destroyed: requests and answers deleted",
  "batch.canceled": "Batch canceled",
  "lane.opened": "Lane opened",
  "lane.paused": "Lane paused",
  "lane.draining": "Lane draining",
  "dead-letter.retried": "Failed or expired job retried",
  "dead-letter.discarded": "Failed or expired job discarded",
  "dead-letter.retry-undone": "Retry of a failed or expired job undone",
  "dead-letter.discard-undone": "Discard of a failed or expired job undone",
  "dead-letters.retried": "Failed and expired jobs retried",
  "dead-letters.retry-undone": "Retry of failed and expired jobs undone",
  "webhook.added": "Webhook added",
  "webhook.changed": "Webhook changed",
  "webhook.secret-replaced": "Secret of a webhook replaced",
  "webhook.disabled": "Webhook disabled",
  "webhook.enabled": "Webhook enabled",
  "webhook.resent": "Deliveries of a webhook sent again",
  "webhook.removed": "Webhook removed",
  "alert-mail.added": "Alerts mailed to a member",
  "alert-mail.removed": "Alerts no longer mailed to a member",
  "metrics-token.created": "Token for metrics created",
  "metrics-token.removed": "Token for metrics removed",
  "limit.set": "API key limits changed",
  "queue-settings.changed": "Queue settings changed",
  "policy.changed": "Rules changed",
  "policy.restored": "Earlier rules restored",
  "budget.set": "Budget set",
  "budget.removed": "Budget removed",
  "usage-facts.changed": "Prices, power or carbon for the comparison of usage changed",
  "page-origins.changed": "Pages that may call the API from browsers changed",
  "credits.moved-to-key": "Earned credits moved to an API key",
  "credits.given": "Earned credits given to a colleague",
  "credits.expired": "Earned credits expired",
  "payout.asked": "Payout of earned credits asked for",
  "payout.withdrawn": "Payout of earned credits withdrawn",
  "payout.approved": "Payout of earned credits approved",
  "payout.refused": "Payout of earned credits refused",
  "checks.mode-changed": "What happens after checks of answers changed",
  "house-rules.changed": "Rules for earned credits changed",
  "playground.credits-changed": "Credits of the playground changed",
  "prices.changed": "Prices of priorities changed",
  "prices.scheduled": "Price set or scheduled",
  "prices.canceled": "Scheduled price canceled",
  "catalog.signed": "Catalog signed with a new key",
  "retention.changed": "Time for which rows are kept changed",
  "archive.asked": "Old rows asked to move into archives",
  "archive.written": "Archive of old rows written",
  "archive.failed": "Archive of old rows failed",
  "archive.downloaded": "Archive of old rows downloaded",
  "model.added": "Model added",
  "model.changed": "Model changed",
  "model.retired": "Model retired",
  "model.reinstated": "Model reinstated",
  "model-offer.dismissed": "Offer of a first model dismissed",
  "model-offer.restored": "Offer of a first model shown again",
  "model-rollout.started": "Roll-out of a model in stages started",
  "model-rollout.advanced": "Next stage of a roll-out started",
  "model-rollout.released": "Model given to all devices at once",
  "model-rollout.paused": "Roll-out of a model paused",
  "model-rollout.continued": "Roll-out of a model continued",
  "model-rollout.stopped": "Roll-out of a model stopped",
  "model-rollout.rolled-back": "Roll-out of a model rolled back",
  "model-rollout.undone": "Last change of a roll-out undone",
  "model-rollout.finished": "Roll-out of a model finished",
  "model-alias.set": "Alias of a model set",
  "model-alias.removed": "Alias of a model removed",
} as const;

/** Members are shown by their names. Entries of earlier versions say "admin". */
const actors = {
  admin: "Administrator",
  member: "Member",
  setup: "Server setup",
  device: "Device",
  "api-key": "API key",
  visitor: "Somebody not signed in",
  system: "Gleaner itself",
} as const;

/** The filter's groups of actions, in the console's words. */
const groups = {
  people: "People and sign-in",
  keys: "API keys",
  devices: "Devices and enrollment",
  jobs: "Jobs and queue",
  rules: "Rules, models and prices",
  looks: "Looks at data",
  refusals: "Refusals",
  server: "Server",
  other: "Other",
} as const;

export type AuditGroup = keyof typeof groups;

export const auditGroups = Object.keys(groups) as readonly AuditGroup[];

export function auditGroupWords(group: AuditGroup): string {
  return groups[group];
}

/** An action's noun: "device" of "device.retired". */
type Noun<Action extends string> = Action extends `${infer Name}.${string}` ? Name : never;

const groupOfNoun = {
  organization: "server",
  backup: "server",
  "metrics-token": "server",
  retention: "server",
  archive: "server",
  "sign-in-link": "people",
  admin: "people",
  member: "people",
  team: "people",
  "api-key": "keys",
  "page-origins": "keys",
  limit: "keys",
  "enrolment-code": "devices",
  device: "devices",
  devices: "devices",
  "device-view": "devices",
  "group-rule": "devices",
  version: "devices",
  job: "jobs",
  dispute: "jobs",
  batch: "jobs",
  lane: "jobs",
  "dead-letter": "jobs",
  "dead-letters": "jobs",
  "queue-settings": "jobs",
  policy: "rules",
  prices: "rules",
  catalog: "rules",
  model: "rules",
  "model-alias": "rules",
  "model-rollout": "rules",
  "model-offer": "rules",
  playground: "keys",
  credits: "keys",
  payout: "keys",
  "house-rules": "rules",
  checks: "rules",
  session: "people",
  mail: "people",
  "sign-in-provider": "people",
  "payload-access": "looks",
  "data-key": "looks",
  "data-classes": "rules",
  deployment: "server",
  webhook: "server",
  "alert-mail": "server",
  budget: "keys",
  "usage-facts": "rules",
  "sign-in": "refusals",
  act: "refusals",
} as const satisfies Readonly<Record<Noun<AuditAction>, AuditGroup>>;

/** The actions in another group than others of their noun. */
const groupOfAction: Readonly<Partial<Record<AuditAction, AuditGroup>>> = {
  "job.payload-read": "looks",
  "archive.downloaded": "looks",
  "member.sign-in-refused": "refusals",
  "sign-in-provider.refused": "refusals",
};

/** All actions, in the order of the list above. */
export const auditActions = Object.keys(actions) as readonly AuditAction[];

/** The group of a stored action. */
export function auditGroupOf(action: string): AuditGroup {
  const own = (groupOfAction as Readonly<Record<string, AuditGroup>>)[action];
  if (own !== undefined) return own;
  const [noun = ""] = action.split(".");
  return (groupOfNoun as Readonly<Record<string, AuditGroup>>)[noun] ?? "other";
}

export type AuditAction = keyof typeof actions;

/** Words for a stored action. One of another version is shown as it is. */
export function actionWords(action: string): string {
  return (actions as Readonly<Record<string, string>>)[action] ?? action;
}

/** The subjects of actions, without their names. */
const subjects: Readonly<Partial<Record<Noun<AuditAction>, string>>> = {
  "api-key": "An API key",
  batch: "A batch",
  device: "A device",
  devices: "Several devices",
  "device-view": "A view of the devices",
  "group-rule": "A rule of a group",
  "enrolment-code": "An enrollment code",
  job: "A job",
  dispute: "A job",
  "dead-letter": "A job",
  lane: "A lane",
  limit: "An API key",
  member: "A member",
  "metrics-token": "A token for metrics",
  payout: "A payout",
  "sign-in-provider": "A provider",
  team: "A team",
  webhook: "A webhook",
};

/** An entry's subject in words. An id says nothing to a person, so a subject whose name is not known is told by its kind. */
export function subjectWords(action: string, subject: string): string {
  if (!/^[0-9a-z]{28,}$/.test(subject)) return subject;
  const [noun = ""] = action.split(".");
  return (subjects as Readonly<Record<string, string>>)[noun] ?? "Something without a name";
}

export function actorWords(actor: string): string {
  return (actors as Readonly<Record<string, string>>)[actor] ?? actor;
}
