import queue from "@gleaner/queue/convex.config";
import { defineApp } from "convex/server";

const app = defineApp();
app.use(queue);

// Convex wants convex.config.ts to export it by default.
export default app;
