import rateLimiter from "@convex-dev/rate-limiter/convex.config.js";
import { defineApp } from "convex/server";
import queue from "./queue/convex.config.js";

const app = defineApp();
app.use(rateLimiter);
app.use(queue);

export default app;
