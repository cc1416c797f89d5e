import {
  MaxFileSizeExceededError,
  MaxTotalSizeExceededError,
  MultipartParseError,
} from "@remix-run/multipart-parser";
import { batchLimits } from "../../../app/batches/limits.ts";
import { fileFields, partFields } from "../../../app/fields/batches.ts";
import { unknownField } from "../../../app/fields/field.ts";
import { formatBytes } from "../../../app/format/quantity.ts";
import { unknownParameter } from "../../../app/jobs/parse/parse-body.ts";
import { isGzipped } from "../body/readBody.ts";
import { UnzipError, unzippedBody } from "../body/unzip.ts";
import { bodyNotGzip, fromParse, missingParameter, repeated, unknownEncoding } from "../errors.ts";
import type { ApiError } from "../respond.ts";
import { type FormField, readForm } from "./readForm.ts";

/** A file as a form sent it. */
type Upload = { readonly name: string; readonly fields: ReadonlyMap<string, string> };

export type Refused = { readonly kind: "refused"; readonly error: ApiError };

const mostFields = 8;
const mostFieldBytes = 1_024;

/** The forms by the fields that hold their files. */
const forms = { file: fileFields, data: partFields } as const;

/**
 * Reads a form with one file in a field of this name, whose content is stored while it comes. It stops reading beyond the bounds,
 * and at a field that is unknown or there twice.
 */
export async function readUpload(
  request: Request,
  field: keyof typeof forms,
  store: (content: FormField["content"]) => Promise<void>,
): Promise<{ readonly kind: "ok"; readonly upload: Upload } | Refused> {
  const refused = (error: ApiError) => ({ kind: "refused", error }) as const;
  const type = request.headers.get("content-type") ?? "";
  const [, quoted, plain] =
    /^multipart\/form-data;.*?boundary=(?:"([^"]{1,70})"|([^\s";]{1,70}))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  const isCompressed = isGzipped(request);
  if (isCompressed === null) return refused(unknownEncoding);
  if (boundary === undefined || request.body === null) return refused(noForm(field));
  const totalBytes = batchLimits.fileBytes + mostFields * mostFieldBytes;
  const fields = new Map<string, string>();
  const seen = new Set<string>();
  let name: string | null = null;
  try {
    // With the boundaries and headers of the fields, which count for no content.
    const body = isCompressed ? unzippedBody(request.body, 2 * totalBytes) : request.body;
    const form = readForm(body, boundary, {
      fields: mostFields,
      contentBytes: batchLimits.fileBytes,
      totalBytes,
    });
    for await (const part of form) {
      const { name: partName = "", filename = "", content } = part;
      const unknown = unknownField({ [partName]: null }, forms[field]);
      if (unknown !== null) return refused(fromParse(unknownParameter(unknown)));
      if (seen.has(partName)) return refused(repeated("The form has the field", partName));
      seen.add(partName);
      if (partName === field) {
        name = filename;
        await store(content);
      } else {
        fields.set(partName, await shortText(content));
      }
    }
  } catch (thrown) {
    if (thrown instanceof UnzipError)
      return refused(thrown.mistake === "not gzip" ? bodyNotGzip : fileTooLarge(field));
    if (!(thrown instanceof MultipartParseError)) throw thrown;
    const isTooLarge =
      thrown instanceof MaxFileSizeExceededError || thrown instanceof MaxTotalSizeExceededError;
    return refused(isTooLarge ? fileTooLarge(field) : noForm(field));
  }
  return name === null ? refused(missingParameter(field)) : { kind: "ok", upload: { name, fields } };
}

/** The text of a field. Empty if it is too long to be one that we know. */
async function shortText(content: FormField["content"]): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > mostFieldBytes) return "";
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function noForm(field: string): ApiError {
  return {
    status: 400,
    type: "invalid_request_error",
    code: "invalid_request_body",
    message: `The body must be a form (multipart/form-data) with the file as the field ${field}.`,
  };
}

function fileTooLarge(param: string): ApiError {
  const most = formatBytes(batchLimits.fileBytes);
  return {
    status: 413,
    type: "invalid_request_error",
    code: "request_too_large",
    param,
    message: `'${param}' has at most ${most}. Send a larger file in parts: POST /v1/uploads.`,
  };
}
