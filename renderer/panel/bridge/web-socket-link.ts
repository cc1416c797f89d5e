import {
  type CallFrame,
  clientOf,
  deltaFrame,
  refused,
  type Reply,
  replyFrame,
} from "../../../app/contract/donor-calls.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import type { LinkState, PanelLink } from "./panel-link.ts";

const retryMs = [250, 500, 1_000, 2_000, 4_000] as const;
const callTimeoutMs = 15_000;

/** Connects to `/bridge` on the page's own origin, again and again, for as long as the page lives. */
export function connectWebSocketLink(location: Location): PanelLink {
  const url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/bridge${location.search}`;
  const deltaListeners = new Set<(delta: Partial<DonorSnapshot>) => void>();
  const linkListeners = new Set<(state: LinkState) => void>();
  const waiting = new Map<number, (reply: Reply<unknown>) => void>();
  let state: LinkState = "connecting";
  let socket: WebSocket | null = null;
  let nextId = 1;
  let failures = 0;

  const become = (next: LinkState): void => {
    if (state === next) return;
    state = next;
    for (const listener of linkListeners) listener(next);
  };

  const refuseWaiting = (): void => {
    for (const answer of waiting.values()) answer(refused("The connection to Gleaner was lost."));
    waiting.clear();
  };

  const connect = (): void => {
    const opening = new WebSocket(url);
    opening.onopen = () => {
      failures = 0;
      socket = opening;
      become("open");
    };
    opening.onmessage = (event) => {
      const frame = parse(event.data);
      if (frame === null) return;
      if ("delta" in frame) for (const listener of deltaListeners) listener(frame.delta);
      else waiting.get(frame.id)?.(frame.reply);
    };
    opening.onclose = () => {
      socket = null;
      refuseWaiting();
      become("lost");
      setTimeout(connect, retryMs[Math.min(failures++, retryMs.length - 1)]);
    };
  };

  const send = (call: string, argument: unknown): Promise<Reply<unknown>> =>
    new Promise((resolve) => {
      if (socket === null) {
        resolve(refused("Gleaner is not running, or cannot be reached."));
        return;
      }
      const id = nextId++;
      const timer = setTimeout(() => waiting.get(id)?.(refused("Gleaner did not answer.")), callTimeoutMs);
      waiting.set(id, (reply) => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(reply);
      });
      socket.send(JSON.stringify({ id, call, argument } satisfies CallFrame));
    });

  connect();
  return {
    bridge: { ...clientOf("panel", send), onDelta: subscribeTo(deltaListeners) },
    onLink: (listener) => {
      listener(state);
      return subscribeTo(linkListeners)(listener);
    },
  };
}

const donorFrame = replyFrame.or(deltaFrame);

/** The donor is our own program on our own origin: only the shape of a message is checked, not its values. */
function parse(data: unknown) {
  if (typeof data !== "string") return null;
  try {
    return donorFrame.safeParse(JSON.parse(data)).data ?? null;
  } catch {
    return null;
  }
}

function subscribeTo<T>(listeners: Set<(value: T) => void>) {
  return (listener: (value: T) => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
}
