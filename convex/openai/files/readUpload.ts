import {
  MaxFileSizeExceededError,
  MaxTotalSizeExceededError,
  MultipartParseError,
  parseMultipartStream,
} from "@remix-run/multipart-parser";
import { batchLimits } from "../../../app/batches/limits.ts";
import { formatBytes } from "../../../app/format/quantity.ts";
import type { ApiError } from "../respond.ts";

/** A file as a form sent it. `bytes`: its chunks. */
export type Upload = {
  readonly name: string;
  readonly bytes: Blob;
  readonly fields: ReadonlyMap<string, string>;
};

const mostParts = 8;
const mostFieldBytes = 1_024;

/** Reads a form with one file in the field `file`. It stops reading beyond the bounds. */
export async function readUpload(
  request: Request,
): Promise<
  { readonly kind: "ok"; readonly upload: Upload } | { readonly kind: "refused"; readonly error: ApiError }
> {
  const refused = (error: ApiError) => ({ kind: "refused", error }) as const;
  const type = request.headers.get("content-type") ?? "";
  const [, quoted, plain] =
    /^multipart\/form-data;.*?boundary=(?:"([^"]{1,70})"|([^\s";]{1,70}))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || request.body === null) return refused(noForm);
  const fields = new Map<string, string>();
  let file: Pick<Upload, "name" | "bytes"> | null = null;
  try {
    const parts = parseMultipartStream(request.body, {
      boundary,
      maxFileSize: batchLimits.fileBytes,
      maxTotalSize: batchLimits.fileBytes + mostParts * mostFieldBytes,
      maxParts: mostParts,
    });
    for await (const part of parts) {
      if (part.name === "file") {
        const bytes = new Blob(part.content as Uint8Array<ArrayBuffer>[], { type: "application/jsonl" });
        file = { name: part.filename ?? "", bytes };
      } else if (part.name !== undefined && part.size <= mostFieldBytes) fields.set(part.name, part.text);
    }
  } catch (thrown) {
    if (!(thrown instanceof MultipartParseError)) throw thrown;
    const isTooLarge =
      thrown instanceof MaxFileSizeExceededError || thrown instanceof MaxTotalSizeExceededError;
    return refused(isTooLarge ? fileTooLarge : noForm);
  }
  return file === null ? refused(noFile) : { kind: "ok", upload: { ...file, fields } };
}

const noForm: ApiError = {
  status: 400,
  type: "invalid_request_error",
  code: "invalid_request_body",
  message: "The body must be a form (multipart/form-data) with the fields purpose and file.",
};

const noFile: ApiError = {
  status: 400,
  type: "invalid_request_error",
  code: "missing_required_parameter",
  param: "file",
  message: "Missing 'file', which is required.",
};

const fileTooLarge: ApiError = {
  status: 413,
  type: "invalid_request_error",
  code: "request_too_large",
  param: "file",
  message: `A file has at most ${formatBytes(batchLimits.fileBytes)}. Split it into several files, each with its own batch.`,
};
