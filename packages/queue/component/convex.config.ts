import crons from "@convex-dev/crons/convex.config.js";
import { defineComponent } from "convex/server";

const queue = defineComponent("queue");
queue.use(crons);

// Convex requires a default export here.
export default queue;
