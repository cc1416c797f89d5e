import {
  MaxFileSizeExceededError,
  MaxTotalSizeExceededError,
  MultipartParseError,
  MultipartParser,
  type MultipartPart,
} from "@remix-run/multipart-parser";
import { batchLimits } from "../../../app/batches/limits.ts";
import { fileFields, partFields } from "../../../app/fields/batches.ts";
import { unknownField } from "../../../app/fields/field.ts";
import { formatBytes } from "../../../app/format/quantity.ts";
import { unknownParameter } from "../../../app/jobs/parse/parse-body.ts";
import { fromParse } from "../errors.ts";
import type { ApiError } from "../respond.ts";

/** A file as a form sent it. The memory of each chunk is given back when the next one is read. */
export type Upload = {
  readonly name: string;
  readonly chunks: Iterable<Uint8Array<ArrayBuffer>>;
  readonly fields: ReadonlyMap<string, string>;
};

const mostParts = 8;
const mostFieldBytes = 1_024;

/** The forms by the fields that hold their files. */
const forms = { file: fileFields, data: partFields } as const;

/** Reads a form with one file in a field of this name. It stops reading beyond the bounds, and at a field that is unknown. */
export async function readUpload(
  request: Request,
  field: keyof typeof forms,
): Promise<
  { readonly kind: "ok"; readonly upload: Upload } | { readonly kind: "refused"; readonly error: ApiError }
> {
  const refused = (error: ApiError) => ({ kind: "refused", error }) as const;
  const type = request.headers.get("content-type") ?? "";
  const [, quoted, plain] =
    /^multipart\/form-data;.*?boundary=(?:"([^"]{1,70})"|([^\s";]{1,70}))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || request.body === null) return refused(noForm(field));
  const fields = new Map<string, string>();
  let file: Pick<Upload, "name" | "chunks"> | null = null;
  try {
    const parser = new MultipartParser(boundary, {
      maxFileSize: batchLimits.fileBytes,
      maxTotalSize: batchLimits.fileBytes + mostParts * mostFieldBytes,
      maxParts: mostParts,
    });
    for await (const part of partsOf(request.body, parser)) {
      const unknown = unknownField({ [part.name ?? ""]: null }, forms[field]);
      if (unknown !== null) return refused(fromParse(unknownParameter(unknown)));
      if (part.name === field) {
        const chunks = passingChunks(part.content as Uint8Array<ArrayBuffer>[]);
        file = { name: part.filename ?? "", chunks };
      } else if (part.name !== undefined && part.size <= mostFieldBytes) fields.set(part.name, part.text);
    }
  } catch (thrown) {
    if (!(thrown instanceof MultipartParseError)) throw thrown;
    const isTooLarge =
      thrown instanceof MaxFileSizeExceededError || thrown instanceof MaxTotalSizeExceededError;
    return refused(isTooLarge ? fileTooLarge(field) : noForm(field));
  }
  return file === null ? refused(noFile(field)) : { kind: "ok", upload: { ...file, fields } };
}

/**
 * The parts of a form. The package's own loop releases the stream's reader, which makes an error nobody sees. Its stack takes
 * tens of megabytes for a while, because it is mapped to our source files.
 */
async function* partsOf(
  body: ReadableStream<Uint8Array>,
  parser: MultipartParser,
): AsyncGenerator<MultipartPart> {
  const reader = body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    if (read.value.length > 0) yield* parser.write(read.value);
  }
  parser.finish();
}

/** Gives the memory of each chunk back at once when the next one is read. Other chunks may be in the buffer of the last one. */
function* passingChunks(chunks: readonly Uint8Array<ArrayBuffer>[]): Generator<Uint8Array<ArrayBuffer>> {
  const last = chunks.at(-1)?.buffer;
  for (const [at, chunk] of chunks.entries()) {
    yield chunk;
    const { buffer } = chunk;
    if (buffer !== last && buffer !== chunks[at + 1]?.buffer) buffer.transfer(0);
  }
}

function noForm(field: string): ApiError {
  return {
    status: 400,
    type: "invalid_request_error",
    code: "invalid_request_body",
    message: `The body must be a form (multipart/form-data) with the file as the field ${field}.`,
  };
}

function noFile(param: string): ApiError {
  return {
    status: 400,
    type: "invalid_request_error",
    code: "missing_required_parameter",
    param,
    message: `Missing '${param}', which is required.`,
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
