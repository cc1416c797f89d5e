import { type ReactNode, useState } from "react";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import { Button } from "../ui/controls/Button.tsx";
import { Logo } from "../ui/Logo.tsx";
import { Confirm } from "../ui/overlays/Confirm.tsx";
import { StatusDot } from "../ui/StatusDot.tsx";
import type { LinkState } from "./bridge/panel-link.ts";
import { useAct } from "./state/actions.ts";
import { connections } from "./status/connections.ts";

const unknownConnection = { tone: "quiet", words: "Unknown" } as const;

type Props = { readonly snapshot: DonorSnapshot; readonly link: LinkState };

export function PanelHeader({ snapshot, link }: Props): ReactNode {
  const [isQuitting, setIsQuitting] = useState(false);
  const act = useAct();
  const connection = link === "lost" ? unknownConnection : connections[snapshot.connection];
  return (
    <header className="mx-auto flex w-full max-w-5xl items-center gap-2.5 px-2.5 py-2.5 max-[20rem]:flex-wrap md:px-5">
      <span className="text-accent">
        <Logo size={24} />
      </span>
      <div className="min-w-0 flex-1 max-[20rem]:basis-3/4">
        <h1 className="truncate leading-4 font-semibold">{snapshot.device?.name ?? "Gleaner"}</h1>
        <p className="truncate text-xs text-muted">{snapshot.organization?.name ?? "No organization yet"}</p>
      </div>
      <span className="flex items-center gap-1.5 text-xs text-muted">
        <StatusDot tone={connection.tone} busy={snapshot.connection === "connecting"} />
        {connection.words}
      </span>
      <Button
        look="quiet"
        size="sm"
        className="-mr-2.5 max-[20rem]:ml-auto"
        onClick={() => setIsQuitting(true)}
      >
        Quit
      </Button>
      {isQuitting ? (
        <Confirm
          title="Quit Gleaner?"
          action="Quit"
          onConfirm={() => act("quit", null)}
          onClose={() => setIsQuitting(false)}
        >
          A running job goes back to the queue and is not lost. This computer donates nothing until you start
          Gleaner again.
        </Confirm>
      ) : null}
    </header>
  );
}
