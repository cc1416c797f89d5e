import { type ReactNode, useEffect, useId, useState } from "react";
import type { NearbyServer } from "../../../app/nearby-servers.ts";

type Props = {
  /** Listens for a second. */
  readonly onFind: () => Promise<readonly NearbyServer[]>;
  readonly chosen: Pick<NearbyServer, "url" | "pin"> | null;
  readonly onChoose: (server: NearbyServer) => void;
};

/** A server may start, or a cable be plugged in, while the page is open. */
const askAgainAfterMs = 10_000;

/** The servers that announce themselves on this computer's network, as choices. Nothing while there are none. */
export function NearbyServers({ onFind, chosen, onChoose }: Props): ReactNode {
  const [servers, setServers] = useState<readonly NearbyServer[]>([]);
  const title = useId();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let gone = false;
    const find = async (): Promise<void> => {
      const found = await onFind();
      if (gone) return;
      setServers(found);
      timer = setTimeout(() => void find(), askAgainAfterMs);
    };
    void find();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [onFind]);
  if (servers.length === 0) return null;
  return (
    <section aria-labelledby={title} className="grid gap-2">
      <h2 id={title} className="text-sm font-semibold">
        Found on this network
      </h2>
      <ul className="grid gap-2">
        {servers.map((server) => {
          const isChosen = server.url === chosen?.url && server.pin === chosen.pin;
          return (
            <li key={`${server.url} ${server.pin}`}>
              <button
                type="button"
                aria-pressed={isChosen}
                className={`grid w-full rounded-lg border px-3 py-2 text-left bg-surface hover:bg-sunken ${
                  isChosen ? "border-accent" : "border-line"
                }`}
                onClick={() => onChoose(server)}
              >
                <span className="font-medium wrap-anywhere">Gleaner at {server.organization}</span>
                <span className="text-xs text-muted wrap-anywhere">{server.url}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
