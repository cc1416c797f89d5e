import { cronJobs, makeFunctionReference } from "convex/server";

const increment = makeFunctionReference<"mutation", { name: string }, number>("counters:increment");
const crons = cronJobs();

crons.interval("every few seconds", { seconds: 3 }, increment, { name: "cron" });

// One of each other form, to test that Convex accepts it. None is due during a test.
crons.hourly("every hour", { minuteUTC: 17 }, increment, { name: "hourly" });
crons.daily("every day", { hourUTC: 3, minuteUTC: 30 }, increment, { name: "daily" });
crons.weekly("every week", { dayOfWeek: "sunday", hourUTC: 3, minuteUTC: 30 }, increment, { name: "weekly" });
crons.monthly("every month", { day: 1, hourUTC: 3, minuteUTC: 30 }, increment, { name: "monthly" });
crons.cron("every new year", "0 0 1 1 *", increment, { name: "yearly" });

// Convex requires a default export here.
export default crons;
