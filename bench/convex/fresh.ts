/*
 * The same functions in a module that does not reuse its context. So each run has a world of its own, as in an app that was not
 * written for speed.
 */
export { write } from "./notes.ts";
export { ten } from "./rows.ts";
