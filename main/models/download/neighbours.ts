/** What a device in the office has of a file. */
export type PeerHave = {
  /** Pieces that it gives. */
  readonly done: ReadonlySet<number>;
  /** Pieces that it fetches from the internet now. */
  readonly fetching: ReadonlySet<number>;
  /** How many pieces it holds, given or not: whether it gets on. */
  readonly held: number;
};

/** A device in the office that said that it has this file, or fetches it. */
export type Peer = { readonly id: string; readonly complete: boolean };

/** Devices of the same organization on the same network, as far as they concern one file. */
export type Neighbours = {
  readonly selfId: string;
  readonly peers: () => readonly Peer[];
  /** Null when it does not answer, or has nothing. */
  readonly have: (peerId: string, signal: AbortSignal) => Promise<PeerHave | null>;
  /** Null when it does not give it now. */
  readonly piece: (peerId: string, piece: number, signal: AbortSignal) => Promise<Buffer | null>;
};
