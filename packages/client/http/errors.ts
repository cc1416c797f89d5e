/** Codes of this package's own errors. All others come from the server: docs/api.md lists them. */
export const unreachable = "unreachable";
export const unknownAnswer = "unknown_answer";
export const closed = "closed";

/** A call failed. `message` says why in a sentence. */
export class GleanerError extends Error {
  override readonly name = "GleanerError";
  /** The server's code such as `model_not_found`, or `unreachable`, `unknown_answer` or `closed`. */
  readonly code: string;
  /** The HTTP status; null if there was no answer over HTTP. */
  readonly status: number | null;

  constructor(message: string, code: string, status: number | null = null, options: ErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.status = status;
  }
}
