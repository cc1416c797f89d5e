import {
  type CallFrame,
  clientOf,
  deltaFrame,
  type PanelBridge,
  panelProtocol,
  refused,
  type Reply,
  replyFrame,
  wrongTokenCode,
} from "../../../app/contract/donor-calls.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import type { LinkState, PanelLink } from "./panel-link.ts";

declare global {
  interface Window {
    /** Set by the desktop program's preload script. Absent in a browser. */
    readonly gleaner?: PanelBridge;
  }
}

/** The preload script's bridge in the desktop program, else a WebSocket to the headless donor that served this page. */
export function findLink(): PanelLink {
  const bridge = window.gleaner;
  if (bridge === undefined) return connectWebSocketLink(window.location, takeToken());
  return {
    bridge,
    onLink: (listener) => {
      listener("open");
      return () => undefined;
    },
  };
}

const tokenKey = "gleaner-panel-token";

/**
 * The token of the printed address. It leaves the address bar, and stays in the tab's own storage for a reload. Other
 * origins, such as servers at other ports, see neither. Empty if there is none.
 */
function takeToken(): string {
  const given = new URLSearchParams(window.location.hash.slice(1)).get("token");
  if (given === null) return window.sessionStorage.getItem(tokenKey) ?? "";
  window.sessionStorage.setItem(tokenKey, given);
  window.history.replaceState(null, "", window.location.pathname + window.location.search);
  return given;
}

const retryMs = [250, 500, 1_000, 2_000, 4_000] as const;
const callTimeoutMs = 15_000;

/** Connects to `/bridge` on the page's origin. Reconnects until the page is closed or its token is refused. */
function connectWebSocketLink(location: Location, token: string): PanelLink {
  const url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/bridge${location.search}`;
  // A subprotocol must have a character.
  const protocols = token === "" ? [panelProtocol] : [panelProtocol, token];
  const deltaListeners = new Set<(delta: Partial<DonorSnapshot>) => void>();
  const linkListeners = new Set<(state: LinkState) => void>();
  const pending = new Map<number, (reply: Reply<unknown>) => void>();
  let state: LinkState = "connecting";
  let socket: WebSocket | null = null;
  let nextId = 1;
  let failures = 0;

  const setState = (next: LinkState): void => {
    if (state === next) return;
    state = next;
    for (const listener of linkListeners) listener(next);
  };

  const refusePending = (): void => {
    for (const answer of pending.values()) answer(refused("The connection to Gleaner was lost."));
    pending.clear();
  };

  const connect = (): void => {
    const opening = new WebSocket(url, protocols);
    opening.onopen = () => {
      failures = 0;
      socket = opening;
      setState("open");
    };
    opening.onmessage = (event) => {
      const frame = parse(event.data);
      if (frame === null) return;
      if ("delta" in frame) for (const listener of deltaListeners) listener(frame.delta);
      else pending.get(frame.id)?.(frame.reply);
    };
    opening.onclose = ({ code }) => {
      socket = null;
      refusePending();
      if (code === wrongTokenCode) {
        setState("refused");
        return;
      }
      setState("lost");
      setTimeout(connect, retryMs[Math.min(failures++, retryMs.length - 1)]);
    };
  };

  const send = (call: string, argument: unknown): Promise<Reply<unknown>> =>
    new Promise((resolve) => {
      if (socket === null) {
        resolve(refused("Gleaner is not running or cannot be reached."));
        return;
      }
      const id = nextId++;
      const timer = setTimeout(() => pending.get(id)?.(refused("Gleaner did not answer.")), callTimeoutMs);
      pending.set(id, (reply) => {
        clearTimeout(timer);
        pending.delete(id);
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

/** Checks only the shape of a message: the donor is our own program on the same origin. */
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
