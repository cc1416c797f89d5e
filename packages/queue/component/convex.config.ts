import crons from "@convex-dev/crons/convex.config.js";
import { defineComponent } from "convex/server";

const queue = defineComponent("queue");
queue.use(crons);

// Convex wants convex.config.ts to export it by default.
export default queue;
