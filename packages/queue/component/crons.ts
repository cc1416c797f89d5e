import { cronJobs } from "convex/server";
import { counts } from "./model/counts/references.ts";
import { maintenance } from "./model/references.ts";

const crons = cronJobs();

crons.interval("count the jobs of each lane", { minutes: 1 }, counts.count, {});
crons.interval("delete old payloads and results", { hours: 1 }, maintenance.purge, {});
crons.interval("delete old records", { hours: 1 }, maintenance.forget, {});
crons.interval("delete unused lanes", { hours: 1 }, maintenance.forgetLanes, { cursor: null });

// Convex requires the default export.
export default crons;
