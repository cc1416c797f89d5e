import { cronJobs } from "convex/server";
import { internal } from "./_generated/api.js";

const crons = cronJobs();

crons.interval("fold the ledger and the counts", { minutes: 1 }, internal.maintenance.project, {});
crons.interval("delete old prompts and answers", { hours: 1 }, internal.maintenance.purge, {});

export default crons;
