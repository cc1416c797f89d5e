import { defineApp } from "convex/server";
import queue from "../../../convex/queue/convex.config.ts";

const app = defineApp();
app.use(queue);

// Convex wants convex.config.ts to export it by default.
export default app;
