import aggregate from "@convex-dev/aggregate/convex.config.js";
import migrations from "@convex-dev/migrations/convex.config.js";
import { defineApp } from "convex/server";

const app = defineApp();
app.use(aggregate, { name: "byScore" });
app.use(aggregate, { name: "byPlayer" });
app.use(aggregate, { name: "photos" });
app.use(aggregate, { name: "songs" });
app.use(aggregate, { name: "latencies" });
app.use(migrations);
export default app;
