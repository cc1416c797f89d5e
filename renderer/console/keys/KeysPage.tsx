import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import type { KeyRow } from "../data/rows.ts";
import { useAct, useSession } from "../data/session-context.ts";
import { makeSecret, shownPrefix } from "../secrets/make-secret.ts";
import { sha256 } from "../secrets/sha256.ts";
import { KeyLimits } from "./KeyLimits.tsx";
import { KeysView } from "./KeysView.tsx";
import { NewKey } from "./NewKey.tsx";

export function KeysPage({ apiBase }: { readonly apiBase: string }): ReactNode {
  const session = useSession();
  const keys = useQuery(api.admin.keys, { session });
  const devices = useQuery(api.admin.devices, { session });
  const create = useAct(api.admin.createKey);
  const revoke = useAct(api.admin.revokeKey);
  const limit = useAct(api.adminQueue.setKeyLimit);
  const [making, setMaking] = useState(false);
  const [limiting, setLimiting] = useState<KeyRow | null>(null);
  const model = devices?.flatMap((device) => device.capabilities?.models ?? [])[0] ?? "gleaner-demo";
  return (
    <>
      <KeysView
        keys={keys}
        onCreate={() => setMaking(true)}
        onLimit={setLimiting}
        onRevoke={({ keyId, name }) => void revoke({ keyId }, `${name} is revoked.`)}
      />
      <NewKey
        open={making}
        apiBase={apiBase}
        model={model}
        onCreate={async (name, dataClass) => {
          const secret = makeSecret("sk-gleaner-");
          const made = await create({
            name,
            keyHash: sha256(secret),
            prefix: shownPrefix(secret),
            ...(dataClass === "" ? {} : { dataClass }),
          });
          return made ? secret : null;
        }}
        onClose={() => setMaking(false)}
      />
      <KeyLimits
        limited={limiting}
        onSave={({ keyId, name }, limits) =>
          void limit({ keyId, ...limits }, `The limits of ${name} are set.`)
        }
        onClose={() => setLimiting(null)}
      />
    </>
  );
}
