import { words } from "./lists.ts";

/** In the order of the year. */
export const months = words(`
  January February March April May June July August September October November December
`);

/** In the order of the week. */
export const days = words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday");
