import { defineComponent } from "convex/server";

const component = defineComponent("mailbox");

// Convex requires a default export here.
export default component;
