import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ZipFile } from "yazl";

type Content = AsyncIterable<string | Buffer> | Iterable<string | Buffer>;

/**
 * Writes a ZIP one entry at a time, as fast as its reader takes it: what is held in memory does not grow with
 * what is written. `done` rejects when the output, or a content, fails.
 */
export class ZipWriter {
  readonly #zip = new ZipFile();
  readonly output: Readable;

  constructor() {
    // yazl types it as the interface; it is a PassThrough.
    this.output = this.#zip.outputStream as Readable;
    this.#zip.on("error", (error: Error) => this.output.destroy(error));
  }

  /** Resolves once all of the content was read. */
  async add(name: string, content: Content, options: { readonly compress?: boolean } = {}): Promise<void> {
    const stream = Readable.from(content, { objectMode: false, highWaterMark: 256 * 1024 });
    const taken = finished(stream, { writable: false });
    this.#zip.addReadStream(stream, name, { mode: 0o100644, compress: options.compress ?? true });
    // Whoever reads the output may be gone: the content is not read on then.
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

/** Writes what `fill` adds into a new file that only its owner may read. Rejects with what failed. */
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
    zip.fail(error instanceof Error ? error : new Error(String(error)));
    target.destroy();
  });
  target.once("error", (error) => zip.fail(error));
  await Promise.all([filled, written]);
}
