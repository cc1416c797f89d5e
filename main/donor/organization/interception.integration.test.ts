import { connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type Deployment, startDeployment } from "../../deployment.fixture.ts";
import { chat } from "../../runner/runner.fixture.ts";

const away = 9_999;
const patient = { timeout: 60_000, interval: 50 };

/** Passes bytes on between donors and a backend, and changes what the backend says while `change` is set. */
class Interceptor {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  change: (text: string) => string = (text) => text;

  constructor(target: URL) {
    this.#server = createServer((donor) => {
      const backend = connect(Number(target.port), target.hostname);
      for (const socket of [donor, backend]) {
        this.#sockets.add(socket);
        socket.on("error", () => socket.destroy());
        socket.on("close", () => [donor, backend].forEach((one) => one.destroy()));
      }
      donor.on("data", (bytes) => backend.write(bytes));
      backend.on("data", (bytes) =>
        donor.write(Buffer.from(this.change(bytes.toString("latin1")), "latin1")),
      );
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  }

  /** Ends the connections, so that donors connect again. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}

let deployment: Deployment;
let interceptor: Interceptor;

beforeAll(async () => {
  deployment = await startDeployment("demo");
  interceptor = new Interceptor(new URL(deployment.url));
});
afterAll(async () => {
  interceptor.close();
  await deployment.stop();
});

it("a donor refuses models that were changed on their way, says so, and works with those it has", async () => {
  const donor = await deployment.startDonor("intercepted", away, await interceptor.listen());
  const log = (): string => donor.lines.join("\n");
  const answered = async (): Promise<void> => {
    const jobId = await deployment.submit(chat("What is the capital of Norway?"));
    const { resultText } = await deployment.until(jobId, ({ status }) => status === "succeeded");
    expect(resultText).toBe("The capital of Norway is Oslo.");
  };
  await answered();
  expect(log()).not.toContain("catalog.refused");

  // As long as before, so that the frames of the WebSocket stay valid.
  interceptor.change = (text) => text.replaceAll('"source":"bundled"', '"source":"hf:a/b/"');
  interceptor.cut();
  await vi.waitFor(() => expect(log()).toContain("catalog.refused"), patient);
  expect(log()).toContain('"problem":"wrong"');
  await answered();

  interceptor.change = (text) => text;
  interceptor.cut();
  await answered();
});
