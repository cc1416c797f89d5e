import workpool from "@convex-dev/workpool/convex.config.js";
import { defineApp } from "convex/server";

const app = defineApp();
app.use(workpool, { name: "emails" });
app.use(workpool, { name: "serial" });
export default app;
