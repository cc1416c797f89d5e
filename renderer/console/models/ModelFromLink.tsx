import { useQuery } from "convex/react";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { factsForm } from "./file-facts.ts";
import { LinkField } from "./LinkField.tsx";
import type { ModelForm } from "./model-form.ts";

type Props = {
  /** Read at once. Empty: nothing is. */
  readonly initialLink: string;
  readonly onRead: (fields: Partial<ModelForm>) => void;
};

/** Lets the backend read a model's facts from a link, and fills the form with them. */
export function ModelFromLink({ initialLink, onRead }: Props): ReactNode {
  const session = useSession();
  const inspection = useQuery(api.console.models.inspection, { session });
  const inspect = useAct(api.console.models.inspect);
  const seesDevices = useScope("devices.read") === "all";
  const [asked, setAsked] = useState<string | null>(null);
  const outcome = asked !== null && inspection?.link === asked ? inspection.outcome : null;
  useEffect(() => {
    if (outcome?.kind === "read") onRead(factsForm(outcome));
  }, [outcome, onRead]);
  const read = useCallback(
    async (link: string): Promise<void> => {
      setAsked(link);
      if (!(await inspect({ link }))) setAsked(null);
    },
    [inspect],
  );
  const wasRead = useRef(false);
  useEffect(() => {
    if (initialLink === "" || wasRead.current) return;
    wasRead.current = true;
    void read(initialLink);
  }, [initialLink, read]);
  return (
    <LinkField
      initialLink={initialLink}
      seesDevices={seesDevices}
      outcome={outcome}
      isReading={asked !== null && outcome === null}
      onInspect={(link) => void read(link)}
    />
  );
}
