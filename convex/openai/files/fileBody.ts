import type { Id } from "../../_generated/dataModel.js";
import type { FileView } from "../../model/files/files.ts";

const prefix = "file-";
/** The path of a file is this and its id. */
export const filesPath = "/v1/files/";

/** OpenAI's file object. */
export function fileBody({ fileId, name, purpose, bytes, createdAt, expiresAt }: FileView): object {
  return {
    id: fileIdOf(fileId),
    object: "file",
    bytes,
    created_at: Math.floor(createdAt / 1_000),
    expires_at: Math.floor(expiresAt / 1_000),
    filename: name,
    purpose,
    status: "processed",
  };
}

export function fileIdOf(fileId: Id<"files">): string {
  return `${prefix}${fileId}`;
}

/** The id without its prefix, as the backend stores it. Any other text is an id of no file. */
export function storedFileId(id: string): string {
  return id.startsWith(prefix) ? id.slice(prefix.length) : "";
}
