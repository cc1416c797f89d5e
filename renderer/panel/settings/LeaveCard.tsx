import { type ReactNode, useContext, useState } from "react";
import { refusalWords } from "../../../app/contract/donor-calls.ts";
import { type Departure, departureWords, lockedInWords } from "../../../app/contract/leaving.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { Bridge } from "../state/actions.ts";
import { leavingPoints } from "./leaving-points.ts";

type Props = {
  readonly organization: string;
  readonly mayLeave: boolean;
  readonly initialDeparture?: Departure;
};

/** Takes this computer out of its organization, after a question. */
export function LeaveCard({ organization, mayLeave, initialDeparture }: Props): ReactNode {
  const bridge = useContext(Bridge);
  const [isAsking, setIsAsking] = useState(false);
  const [isLeaving, setIsLeaving] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [departure, setDeparture] = useState(initialDeparture ?? null);
  const leave = async (): Promise<void> => {
    if (bridge === null) return;
    setError(null);
    setIsLeaving(true);
    const reply = await bridge.leave(null);
    if (reply.kind === "ok") setDeparture(reply.value);
    else setError(refusalWords(reply));
    setIsLeaving(false);
  };
  return (
    <Card title={`Leave ${organization}`}>
      {departure !== null ? (
        <div role="status" className="grid gap-1">
          {departureWords(departure).map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
      ) : mayLeave ? (
        <>
          <p className="text-muted">This computer then stops working for {organization}.</p>
          {error === null ? null : (
            <p role="alert" className="mt-2 text-bad">
              {error}
            </p>
          )}
          <div className="mt-3">
            <Button disabled={isLeaving} onClick={() => setIsAsking(true)}>
              {isLeaving ? "Leaving…" : "Leave…"}
            </Button>
          </div>
        </>
      ) : (
        <p className="text-muted">{lockedInWords}</p>
      )}
      {isAsking ? (
        <Confirm
          title={`Leave ${organization}?`}
          action="Leave"
          danger
          onConfirm={() => void leave()}
          onClose={() => setIsAsking(false)}
        >
          <ul className="grid list-disc gap-1 pl-5">
            {leavingPoints(organization).map((point) => (
              <li key={point}>{point}</li>
            ))}
          </ul>
        </Confirm>
      ) : null}
    </Card>
  );
}
