import type { FunctionReturnType } from "convex/server";
import type { api } from "../../../convex/_generated/api.js";

type Console = typeof api.console;

/** Rows of the backend's functions for the console. Times are in ms since the epoch, money in micro-credits. */
export type Summary = FunctionReturnType<Console["overview"]["summary"]>;
export type AttentionItem = FunctionReturnType<Console["overview"]["attention"]>[number];
export type AlertMails = FunctionReturnType<Console["alerts"]["mails"]>;
export type RecipientRow = AlertMails["recipients"][number];
export type WebhookRow = FunctionReturnType<Console["webhooks"]["endpoints"]["list"]>[number];
export type DeliveryRow = FunctionReturnType<Console["webhooks"]["deliveries"]["list"]>["page"][number];
export type DeviceRow = FunctionReturnType<Console["devices"]["get"]>;
export type ListedDevice = FunctionReturnType<Console["devices"]["list"]>["page"][number];
export type ViewRow = FunctionReturnType<Console["fleet"]["views"]["list"]>[number];
export type RuleRow = FunctionReturnType<Console["fleet"]["groupRules"]["list"]>[number];
export type FleetCounts = FunctionReturnType<Console["devices"]["counts"]>;
export type DeviceSpan = FunctionReturnType<Console["devices"]["journal"]>[number];
export type FleetComfortWeek = FunctionReturnType<Console["fleet"]["comfort"]["week"]>;
export type DeviceAttempt = FunctionReturnType<Console["devices"]["attempts"]>["page"][number];
export type AttemptOutcomes = FunctionReturnType<Console["devices"]["outcomes"]>;
export type JobRow = FunctionReturnType<Console["jobs"]["list"]>["page"][number];
/** A requester's batch. */
export type BatchSummary = FunctionReturnType<Console["work"]["batches"]["list"]>["page"][number];
export type BatchDetail = FunctionReturnType<Console["work"]["batches"]["get"]>;
export type QueueStats = FunctionReturnType<Console["queue"]["stats"]>;
export type LaneRow = QueueStats["lanes"][number];
export type QueueSettingViews = FunctionReturnType<Console["queue"]["settings"]>;
export type SettingReaches = FunctionReturnType<Console["queue"]["settingsReach"]>;
export type SettingReach = SettingReaches["maxQueued"];
export type RetryOutcome = FunctionReturnType<Console["jobs"]["retryDeadLetter"]>;
export type KeyRow = FunctionReturnType<Console["keys"]["list"]>["page"][number];
export type CodeRow = FunctionReturnType<Console["codes"]["list"]>[number];
export type CodeDevices = FunctionReturnType<Console["codes"]["devices"]>;
/** A device, and how it joined. */
export type ArrivalRow = FunctionReturnType<Console["devices"]["pending"]>[number];
export type AuditRow = FunctionReturnType<Console["audit"]["list"]>["page"][number];
export type PlaygroundState = FunctionReturnType<Console["playground"]["state"]>;
export type Measures = NonNullable<FunctionReturnType<Console["playground"]["measures"]>>;
export type PolicyVersion = FunctionReturnType<Console["policy"]["get"]>["versions"][number];
export type MemberRow = FunctionReturnType<Console["people"]["list"]>["page"][number];
export type MemberHoldings = FunctionReturnType<Console["people"]["holdings"]>;
export type InvitationRow = FunctionReturnType<Console["people"]["invitations"]>[number];
export type SessionRow = FunctionReturnType<Console["people"]["sessions"]>[number];
export type Owners = FunctionReturnType<Console["account"]["owners"]>;
export type OwnerId = Owners["members"][number]["id"] | Owners["teams"][number]["id"];
/** To whom a key or a device belongs; null: to the organization. */
export type OwnerName = KeyRow["owner"];
export type TeamRow = FunctionReturnType<Console["people"]["teams"]>[number];
export type ModelRow = FunctionReturnType<Console["models"]["list"]>[number];
export type RolloutRow = FunctionReturnType<Console["rollouts"]["list"]>[number];
export type FailedDevice = FunctionReturnType<Console["rollouts"]["failures"]>["page"][number];
export type RetirementImpact = FunctionReturnType<Console["models"]["impact"]>;
export type ModelOffer = NonNullable<FunctionReturnType<Console["models"]["offer"]>>;
export type AliasRow = FunctionReturnType<Console["aliases"]["list"]>[number];
export type AliasUser = FunctionReturnType<Console["aliases"]["users"]>[number];
export type Inspection = NonNullable<FunctionReturnType<Console["models"]["inspection"]>>;
export type ModelDeviceRow = FunctionReturnType<Console["models"]["devices"]>[number];
export type StatisticsReport = FunctionReturnType<Console["statistics"]["report"]>;
export type StatisticsSubject = StatisticsReport["subjects"][number];
export type UsageReport = FunctionReturnType<Console["usage"]["report"]>;
export type UsageFactsRow = FunctionReturnType<Console["usage"]["facts"]>;
export type UsageMonth = FunctionReturnType<Console["usage"]["month"]>;
export type BudgetRow = FunctionReturnType<Console["budgets"]["list"]>[number];
export type DepthSample = FunctionReturnType<Console["queue"]["depths"]>[number];
export type JobDetail = FunctionReturnType<Console["jobs"]["get"]>;
export type JobCurve = NonNullable<FunctionReturnType<Console["jobs"]["curve"]>>;
export type PayloadLook = FunctionReturnType<Console["payloads"]["look"]>;
