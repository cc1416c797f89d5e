import { randomInt } from "node:crypto";
import { assertNever } from "../../../app/assert-never.ts";
import type { WaitReason } from "../../../app/models/wait-reasons.ts";
import { choosePiece } from "./choose-piece.ts";
import type { DownloadTimes } from "./download-times.ts";
import { pieceFromInternet } from "./internet/internet-piece.ts";
import type { InternetSource } from "./internet/internet-source.ts";
import type { Neighbors } from "./neighbors.ts";
import { OfficeView } from "./office-view.ts";
import type { PartFile } from "./part-file.ts";

export type DownloadDeps = {
  readonly part: PartFile;
  readonly internet: InternetSource;
  /** Null if the rules do not allow sharing. */
  readonly neighbors: Neighbors | null;
  /** The reason why the internet may not be used although the network may. Null if it may. */
  readonly internetHold: () => WaitReason | null;
  /** Reports received bytes. Resolves when more may be received. */
  readonly onBytes: (bytes: number, from: "internet" | "office") => Promise<void>;
  readonly onProgress: () => void;
  readonly times: DownloadTimes;
};

export type DownloadEnd =
  | { readonly kind: "complete" }
  | { readonly kind: "stopped" }
  | {
      readonly kind: "waiting";
      readonly why: WaitReason;
      readonly detail: string | null;
      readonly retryAfterMs: number | null;
    }
  /** A retry is useless until the catalog or the source changes. */
  | { readonly kind: "failed"; readonly why: "wrong-content"; readonly detail: string };

/** Few, so that a download does not load the network. */
const mostFetches = 3;
const mostInternetFetches = 2;
/** The allowed number of wrong hashes, with hashes of pieces and without. */
const maxFailures = { byPiece: 5, whole: 2 };

/** Downloads one file, piece by piece, from the office and the internet, until it is complete and verified. */
export class Download {
  readonly #deps: DownloadDeps;
  readonly #office: OfficeView | null;
  /** Pieces in progress with their source. */
  readonly #underWay = new Map<number, "internet" | "office">();
  readonly #order: readonly number[];
  #change = Promise.withResolvers<undefined>();
  #hold: (DownloadEnd & { kind: "waiting" }) | null = null;
  #end: DownloadEnd | null = null;
  #settledAt = 0;
  #changed = false;

  constructor(deps: DownloadDeps) {
    const { part, neighbors, times } = deps;
    this.#deps = deps;
    this.#office =
      neighbors === null ? null : new OfficeView(neighbors, times, part.layout.count, () => this.#wake());
    // Starts at a random piece, so that devices in one office have different pieces to share.
    this.#order = part.layout.from(neighbors === null ? 0 : randomInt(part.layout.count));
  }

  /** Pieces in progress from the internet. */
  get fetching(): ReadonlySet<number> {
    return new Set([...this.#underWay].filter(([, from]) => from === "internet").map(([piece]) => piece));
  }

  /** Written bytes stay, however the download ends. Call it once. */
  async run(signal: AbortSignal): Promise<DownloadEnd> {
    const { times } = this.#deps;
    const failed = this.#tooManyFailures();
    if (failed !== null) return failed;
    const stop = new AbortController();
    const onAbort = (): void => this.#finish({ kind: "stopped" });
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    this.#settledAt =
      this.#office === null ? 0 : performance.now() + times.settleMs + randomInt(times.settleMs + 1);
    this.#office?.start(stop.signal);
    const ticks = setInterval(() => this.#wake(), Math.min(500, times.pollMs));
    try {
      for (;;) {
        const working = Array.from({ length: mostFetches }, () => this.#fetchPieces(stop.signal));
        void this.#ended().then(() => stop.abort());
        await Promise.all(working);
        if (!this.#isOver()) await this.#verify(signal);
        if (this.#end !== null) break;
      }
      // Only after all fetches have stopped: they wrote bytes of the old file.
      if (this.#changed) await this.#forgetOther();
      return this.#end;
    } finally {
      clearInterval(ticks);
      stop.abort();
      signal.removeEventListener("abort", onAbort);
    }
  }

  async #ended(): Promise<void> {
    while (!this.#isOver()) await this.#change.promise;
  }

  #isOver(): boolean {
    return this.#end !== null;
  }

  /** Fetches pieces until all are here or the end is decided. */
  async #fetchPieces(signal: AbortSignal): Promise<void> {
    const { part } = this.#deps;
    while (!this.#isOver() && !part.complete) {
      const choice = this.#choose();
      if (choice.kind === "wait") {
        const { promise } = this.#change;
        this.#giveUpIfAlone();
        await promise;
        continue;
      }
      const { piece } = choice;
      this.#underWay.set(piece, choice.kind === "peer" ? "office" : "internet");
      try {
        if (choice.kind === "peer") await this.#fromOffice(piece, choice.holders, signal);
        else await this.#fromInternet(piece, signal);
      } catch (error) {
        this.#finish(diskError(error));
      } finally {
        this.#underWay.delete(piece);
        this.#deps.onProgress();
        this.#wake();
      }
    }
  }

  #choose(): ReturnType<typeof choosePiece> {
    const { part } = this.#deps;
    const office = this.#office;
    const begun = [...part.begun];
    const order = [...begun, ...this.#order.filter((piece) => !part.begun.has(piece))];
    const busy = [...this.#underWay.values()].filter((from) => from === "internet").length;
    return choosePiece({
      missing: order.filter((piece) => !part.done.has(piece) && !this.#underWay.has(piece)),
      selfId: office?.selfId ?? "",
      companions: office?.companions ?? [],
      have: office?.have ?? new Map(),
      seeded: office?.seeded ?? false,
      byPiece: part.spec.pieceHashes !== null,
      internet:
        busy < mostInternetFetches && performance.now() >= this.#settledAt && this.#internetHold() === null,
      help: office?.helpAt(performance.now()) ?? "some",
    });
  }

  #internetHold(): WaitReason | null {
    return this.#hold?.why ?? this.#deps.internetHold();
  }

  /** Ends the download if nothing is in progress, nothing can start and nobody in the office can help. */
  #giveUpIfAlone(): void {
    if (this.#underWay.size > 0 || performance.now() < this.#settledAt) return;
    const why = this.#internetHold();
    if (why === null || this.#office?.isHopeful(performance.now()) === true) return;
    this.#finish(this.#hold ?? { kind: "waiting", why, detail: null, retryAfterMs: null });
  }

  async #fromOffice(piece: number, holders: readonly string[], signal: AbortSignal): Promise<void> {
    const { part, onBytes } = this.#deps;
    const office = this.#office;
    const holder = holders[randomInt(holders.length)];
    if (office === null || holder === undefined) return;
    const bytes = await office.piece(holder, piece, signal);
    if (bytes === null || signal.aborted) return;
    if (bytes.length !== part.layout.bytesOf(piece)) {
      office.distrust(holder);
      return;
    }
    await part.begin(piece);
    await part.write(piece, 0, bytes);
    if ((await part.finish(piece)) === "corrupt") {
      office.distrust(holder);
      return;
    }
    office.helped(performance.now());
    await onBytes(bytes.length, "office");
  }

  async #fromInternet(piece: number, signal: AbortSignal): Promise<void> {
    const end = await pieceFromInternet(piece, this.#deps, signal);
    switch (end.kind) {
      case "kept":
      case "stopped":
        return;
      case "corrupt":
        await this.#deps.part.countFailure(Date.now());
        this.#failIfTooOften();
        return;
      case "changed":
        this.#onChanged();
        return;
      case "failed":
        this.#hold ??= { ...end, kind: "waiting" };
        return;
      default:
        return assertNever(end);
    }
  }

  async #verify(signal: AbortSignal): Promise<void> {
    const { part } = this.#deps;
    const verdict = await part.verifyWhole(signal);
    switch (verdict) {
      case "right":
        this.#finish({ kind: "complete" });
        return;
      case "aborted":
        this.#finish({ kind: "stopped" });
        return;
      case "disagree": {
        const detail = "Each piece is right, but not the whole file: the catalog's hashes disagree.";
        this.#finish({ kind: "failed", why: "wrong-content", detail });
        return;
      }
      case "wrong":
        await part.countFailure(Date.now());
        this.#failIfTooOften();
    }
  }

  #onChanged(): void {
    this.#changed = true;
    const detail = "The source has another file now.";
    this.#finish({ kind: "waiting", why: "unreachable", detail, retryAfterMs: 1_000 });
  }

  async #forgetOther(): Promise<void> {
    const { part } = this.#deps;
    await part.sourceIs(null);
    // All bytes are lost then, so count the failure.
    if (part.spec.pieceHashes === null) await part.countFailure(Date.now());
  }

  #failIfTooOften(): void {
    const failed = this.#tooManyFailures();
    if (failed !== null) this.#finish(failed);
  }

  #tooManyFailures(): DownloadEnd | null {
    const { failures, spec } = this.#deps.part;
    if (failures < (spec.pieceHashes === null ? maxFailures.whole : maxFailures.byPiece)) return null;
    const detail = `Its SHA-256 was wrong ${failures} times. Check the catalog's entry and the source.`;
    return { kind: "failed", why: "wrong-content", detail };
  }

  #finish(end: DownloadEnd): void {
    this.#end ??= end;
    this.#wake();
  }

  #wake(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers<undefined>();
    resolve(undefined);
  }
}

/** The end after a file operation failed. */
export function diskError(error: unknown): Extract<DownloadEnd, { kind: "waiting" }> {
  const detail = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
  const why = detail === "ENOSPC" ? "disk-full" : "disk-error";
  return { kind: "waiting", why, detail, retryAfterMs: null };
}
