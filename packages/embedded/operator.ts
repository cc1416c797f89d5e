/** For programs that operate a backend: its backups and its reports. */
export { keptStatePath, undoRestore } from "./backup/full/restore-swap.ts";
export { prepareRestore } from "./backup/full/restores.ts";
export { verifyBackup } from "./backup/full/unpack-backup.ts";
export { type ConflictReport, conflictReportSchema } from "./runtime/run/conflict-report.ts";
