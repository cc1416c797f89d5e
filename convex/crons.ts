import { cronJobs } from "convex/server";
import { internal } from "./_generated/api.js";

const crons = cronJobs();

crons.interval("project the ledger", { minutes: 1 }, internal.maintenance.project, {});
crons.interval("follow the fleets", { minutes: 1 }, internal.fleet.steps.followFleets, {});
crons.interval("count the statistics", { minutes: 1 }, internal.maintenance.countStatistics, {});
crons.interval("step the roll-outs", { seconds: 10 }, internal.rollouts.stepOpen, {});
crons.interval("seal the audit trail", { minutes: 1 }, internal.maintenance.sealAudit, {});
crons.interval("keep the data keys", { minutes: 1 }, internal.data.keys.keep, {});
crons.interval("seal the receipts", { minutes: 1 }, internal.maintenance.sealReceipts, {});
crons.interval("replace sharing secrets", { hours: 6 }, internal.maintenance.rotateSharingSecrets, {});
crons.interval("end expired keys", { minutes: 1 }, internal.maintenance.endDueKeys, {});
crons.interval("delete ended waits", { hours: 1 }, internal.maintenance.sweepWaits, {});
// Soon after the hour, since a period begins on one.
crons.hourly("renew allowances", { minuteUTC: 2 }, internal.maintenance.renewAllowances, {});
crons.interval("expire earned credits", { hours: 6 }, internal.maintenance.expireCredits, {});
crons.interval("delete old rows", { hours: 24 }, internal.maintenance.deleteOld, {});
crons.interval("resume batches", { minutes: 1 }, internal.batches.resume, {});
crons.interval("forecast batches", { minutes: 1 }, internal.batchSteps.forecast, {});
crons.interval("delete old files", { hours: 1 }, internal.files.sweep, {});
crons.interval("resume calls of several jobs", { minutes: 1 }, internal.calls.steps.resume, {});
crons.interval("resume webhooks", { minutes: 1 }, internal.webhooks.steps.resume, {});
crons.interval("delete old webhook deliveries", { hours: 1 }, internal.webhooks.steps.sweep, {});
crons.interval("end old checks", { hours: 1 }, internal.trust.checks.sweep, {});
crons.interval("move old rows into archives", { hours: 6 }, internal.archives.steps.runAll, {});

export default crons;
