import queue from "@gleaner/queue/convex.config";
import { defineApp } from "convex/server";

const app = defineApp();
app.use(queue);

// Convex requires a default export here.
export default app;
