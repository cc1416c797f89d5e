/** The pieces of a file on a device in the office. */
export type PeerHave = {
  /** Pieces that it shares. */
  readonly done: ReadonlySet<number>;
  /** Pieces that it fetches from the internet now. */
  readonly fetching: ReadonlySet<number>;
  /** The number of its pieces, shared or not, as a measure of progress. */
  readonly held: number;
};

/** A device in the office that announced this file or its download. */
export type Peer = { readonly id: string; readonly complete: boolean };

/** Devices of the same organization on the same network, for one file. */
export type Neighbors = {
  readonly selfId: string;
  readonly peers: () => readonly Peer[];
  /** Resolves to null if the device does not answer or has nothing. */
  readonly have: (peerId: string, signal: AbortSignal) => Promise<PeerHave | null>;
  /** Resolves to null if the device does not share the piece now. */
  readonly piece: (peerId: string, piece: number, signal: AbortSignal) => Promise<Buffer | null>;
};
