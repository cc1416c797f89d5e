import { shownId, unixSeconds } from "../../../app/batches/openai-objects.ts";
import type { FileView } from "../../model/files/files.ts";

/** The path of a file is this and its id. */
export const filesPath = "/v1/files/";

/** OpenAI's file object. */
export function fileBody({ fileId, name, purpose, bytes, createdAt, expiresAt }: FileView): object {
  return {
    id: shownId("file", fileId),
    object: "file",
    bytes,
    created_at: unixSeconds(createdAt),
    expires_at: unixSeconds(expiresAt),
    filename: name,
    purpose,
    status: "processed",
  };
}
