import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { archiveKinds } from "../../../app/archives/kinds.ts";

/** Of a file: where it came from. */
export const filePurpose = literals("batch", "batch_output");

/** How content is sealed: with a key that the organization's data key and this salt make. */
const contentSeal = v.object({ keyId: v.id("dataKeys"), salt: v.string() });

/** A piece of a file in Convex's file storage. `bytes`: of its content. `seal`: absent if the content is stored as it is. */
export const filePart = v.object({
  storageId: v.id("_storage"),
  bytes: v.number(),
  seal: v.optional(contentSeal),
});

export const uploadStatus = literals("pending", "completed", "cancelled");

/** The kinds of rows that move into archives. */
export const archiveKind = literals(...archiveKinds);

/** An archive, as it is stored and shown. */
export const archiveFacts = {
  kind: archiveKind,
  /** From 1 in each kind, without gaps. */
  number: v.number(),
  /** The start of the month (UTC) of its rows. */
  month: v.number(),
  rows: v.number(),
  bytes: v.number(),
  /** The SHA-256 of the file in lower-case hex. */
  sha256: v.string(),
};
