import { defineApp } from "convex/server";
import mailbox from "./mailbox/convex.config.ts";

const app = defineApp();
app.use(mailbox);
app.use(mailbox, { name: "otherMailbox" });

// Convex requires a default export here.
export default app;
