import rateLimiter from "@convex-dev/rate-limiter/convex.config.js";
import queue from "@gleaner/queue/convex.config";
import { defineApp } from "convex/server";

const app = defineApp();
app.use(rateLimiter);
app.use(queue);

export default app;
