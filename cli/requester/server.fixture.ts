import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { vi } from "vitest";

/** Starts a server that the commands call in place of Gleaner's, until `vi.unstubAllEnvs`. */
export async function serve(answer: RequestListener): Promise<Server> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  vi.stubEnv("GLEANER_BASE_URL", `http://127.0.0.1:${String(port)}`);
  vi.stubEnv("GLEANER_API_KEY", "key");
  return server;
}

/** Collects the texts for standard error in place of printing them, until `vi.restoreAllMocks`. Returns a reader of all of them. */
export function collectErrors(): () => string {
  let said = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    said += String(text);
    return true;
  });
  return () => said;
}

/** The JSON of the batch `b`, whose answers are in the file `f`. */
export function batchJson(
  status: string,
  counts: { readonly total: number; readonly completed: number },
): string {
  return JSON.stringify({
    id: "b",
    status,
    endpoint: "/v1/chat/completions",
    created_at: 1,
    expires_at: 2,
    output_file_id: "f",
    error_file_id: null,
    request_counts: { ...counts, failed: 0 },
    errors: null,
  });
}
