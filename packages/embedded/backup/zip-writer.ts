import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ZipFile } from "yazl";
import { asError } from "../values/errors.ts";

type Content = AsyncIterable<string | Buffer> | Iterable<string | Buffer>;

/**
 * Writes a ZIP one entry at a time, as fast as its reader consumes it. Memory use does not grow with the size
 * of the output. `done` rejects if the output or the content of an entry fails.
 */
export class ZipWriter {
  readonly #zip = new ZipFile();
  readonly output: Readable;

  constructor() {
    // A PassThrough, though yazl declares only the interface.
    this.output = this.#zip.outputStream as Readable;
    this.#zip.on("error", (error: Error) => this.output.destroy(error));
  }

  /** Resolves after all of the content was read. */
  async add(name: string, content: Content, options: { readonly compress?: boolean } = {}): Promise<void> {
    const stream = Readable.from(content, { objectMode: false, highWaterMark: 256 * 1024 });
    const taken = finished(stream, { writable: false });
    this.#zip.addReadStream(stream, name, { mode: 0o100644, compress: options.compress ?? true });
    // If the reader of the output is gone, stop reading the content.
    const broken = new Promise<never>((_, reject) => {
      const onError = (error: Error): void => {
        stream.destroy();
        reject(error);
      };
      this.output.once("error", onError);
      void taken.finally(() => this.output.off("error", onError)).catch(() => undefined);
    });
    await Promise.race([taken, broken]);
  }

  end(): void {
    this.#zip.end();
  }

  fail(error: Error): void {
    this.output.destroy(error);
  }
}

/**
 * Writes the entries that `fill` adds into a new file that only its owner may read. Rejects with the first
 * failure.
 */
export async function writeZip(file: string, fill: (zip: ZipWriter) => Promise<void>): Promise<void> {
  const zip = new ZipWriter();
  const target = createWriteStream(file, { mode: 0o600, flags: "wx", flush: true });
  const written = new Promise<void>((resolve, reject) => {
    target.once("close", resolve).once("error", reject);
    zip.output.once("error", reject);
  });
  zip.output.pipe(target);
  const filled = fill(zip).then(() => zip.end());
  filled.catch((error: unknown) => {
    zip.fail(asError(error));
    target.destroy();
  });
  target.once("error", (error) => zip.fail(error));
  await Promise.all([filled, written]);
}
