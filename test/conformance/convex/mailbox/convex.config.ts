import { defineComponent } from "convex/server";

const component = defineComponent("mailbox");

// Convex wants convex.config.ts to export it by default.
export default component;
