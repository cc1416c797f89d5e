export type { Backend, BackendOptions } from "./compose/backend-options.ts";
export { createLog, type Log } from "./operations/log.ts";
export { startRestartingBackend as startBackend } from "./restarting-backend.ts";
