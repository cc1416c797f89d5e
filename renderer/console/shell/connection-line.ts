import { useConvexConnectionState } from "convex/react";
import { useEffect, useState } from "react";
import type { Line } from "./Shell.tsx";

const graceMs = 2_000;

/** The state of the connection to the backend. Interruptions below two seconds are not shown. */
export function useConnectionLine(): Line {
  const { isWebSocketConnected, hasEverConnected } = useConvexConnectionState();
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(!isWebSocketConnected), isWebSocketConnected ? 0 : graceMs);
    return () => clearTimeout(timer);
  }, [isWebSocketConnected]);
  if (isWebSocketConnected) return "live";
  if (late) return "lost";
  return hasEverConnected ? "live" : "connecting";
}
