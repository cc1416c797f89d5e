import type { FunctionReturnType } from "convex/server";
import type { api } from "../../../convex/_generated/api.js";

type Admin = typeof api.admin;
type AdminDevices = typeof api.adminDevices;
type AdminModels = typeof api.adminModels;
type AdminPolicy = typeof api.adminPolicy;
type AdminQueue = typeof api.adminQueue;
type AdminStatistics = typeof api.adminStatistics;

/** Rows of the backend's `admin` functions. Times are in ms since the epoch, money in micro-credits. */
export type Summary = FunctionReturnType<Admin["summary"]>;
export type DeviceRow = FunctionReturnType<Admin["devices"]>[number];
export type JobRow = FunctionReturnType<Admin["jobs"]>["page"][number];
export type QueueStats = FunctionReturnType<AdminQueue["stats"]>;
export type LaneRow = QueueStats["lanes"][number];
export type BatchRow = FunctionReturnType<AdminQueue["batches"]>["page"][number];
export type QueueSettingViews = FunctionReturnType<AdminQueue["settings"]>;
export type RetryOutcome = FunctionReturnType<AdminQueue["retryDeadLetter"]>;
export type KeyRow = FunctionReturnType<Admin["keys"]>[number];
export type CodeRow = FunctionReturnType<Admin["enrollmentCodes"]>[number];
export type CodeDevices = FunctionReturnType<AdminDevices["ofCode"]>;
/** A device, and how it joined. */
export type ArrivalRow = FunctionReturnType<AdminDevices["pending"]>[number];
export type AuditRow = FunctionReturnType<Admin["audit"]>["page"][number];
export type PolicyVersion = FunctionReturnType<AdminPolicy["get"]>["versions"][number];
export type ModelRow = FunctionReturnType<AdminModels["list"]>[number];
export type ModelDeviceRow = FunctionReturnType<AdminModels["devices"]>[number];
export type StatisticsReport = FunctionReturnType<AdminStatistics["report"]>;
export type StatisticsSubject = StatisticsReport["subjects"][number];
