import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { encodeGguf } from "../../../scripts/demo-model/gguf/file.ts";
import { text } from "../../../scripts/demo-model/gguf/metadata.ts";
import { randomModel } from "../../../scripts/demo-model/gguf/random-model.ts";

/** A small model with random weights and a license, that llama.cpp runs. Another name gives another file. */
export function makeSmallModel(name: string): Buffer {
  const shape = {
    dim: 64,
    layers: 1,
    heads: 2,
    kvHeads: 2,
    ff: 128,
    ctx: 512,
    ropeBase: 10_000,
    eps: 1e-5,
    tied: false,
  };
  const { metadata, tensors } = randomModel(name, shape, "q8_0");
  return Buffer.from(
    encodeGguf({ metadata: [...metadata, ["general.license", text("apache-2.0")]], tensors }),
  );
}

/** The entry of a file on the hub, as an administrator chooses it in the console. */
export function entryOf(modelId: string, bytes: Buffer): object {
  return {
    modelId,
    source: `hf:acme/models/${modelId}.gguf`,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    sizeBytes: bytes.length,
    licence: "Apache-2.0",
    contextTokens: 512,
  };
}

export type ModelHub = {
  /** Added to a donor's environment, so that it downloads from here. */
  readonly env: NodeJS.ProcessEnv;
  readonly close: () => void;
};

/** The name of the model whose file an address of the hub means; "" if it is another address. */
export function nameIn(url: string | undefined): string {
  return /^\/acme\/models\/resolve\/main\/(.+)\.gguf$/.exec(url ?? "")?.[1] ?? "";
}

/** Sends a file, or the range of it that the request asks for. */
export function sendFile(
  { headers: { range: wanted = "" } }: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
): void {
  const range = /^bytes=(\d+)-(\d*)$/.exec(wanted);
  const from = Number(range?.[1] ?? 0);
  const last = range?.[2] === undefined || range[2] === "" ? bytes.length - 1 : Number(range[2]);
  const part = bytes.subarray(from, last + 1);
  const etag = `"${createHash("sha256").update(bytes).digest("hex")}"`;
  const headers = { "content-length": part.length, "accept-ranges": "bytes", etag };
  const where = `bytes ${String(from)}-${String(from + part.length - 1)}/${String(bytes.length)}`;
  response.writeHead(
    range === null ? 200 : 206,
    range === null ? headers : { ...headers, "content-range": where },
  );
  response.end(part);
}

/** A local server of model files by the names of their models. It answers requests for ranges, as the real hub does. */
export async function startModelHub(files: ReadonlyMap<string, Buffer>): Promise<ModelHub> {
  const server = createServer((request, response) => {
    const bytes = files.get(nameIn(request.url));
    if (bytes === undefined) response.writeHead(404).end();
    else sendFile(request, response, bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the hub has no port");
  return {
    env: {
      GLEANER_TEST_LOCAL_SOURCES: "1",
      GLEANER_HF_MIRROR: `http://127.0.0.1:${String(address.port)}`,
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
