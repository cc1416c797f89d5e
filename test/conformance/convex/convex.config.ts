import { defineApp } from "convex/server";
import mailbox from "./mailbox/convex.config.ts";

const app = defineApp();
app.use(mailbox);
app.use(mailbox, { name: "otherMailbox" });

// Convex wants convex.config.ts to export it by default.
export default app;
