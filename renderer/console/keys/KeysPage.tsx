import { useQuery } from "convex/react";
import { usePaginatedQuery } from "convex-helpers/react";
import { type ReactNode, useMemo, useState } from "react";
import { shownPrefix } from "../../../app/format/secrets.ts";
import { api } from "../../../convex/_generated/api.js";
import type { KeyRow } from "../data/rows.ts";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { type GrantActions, useGrantActions } from "../grants/use-grants.tsx";
import { useCommands } from "../palette/page-commands.ts";
import { useOpened } from "../palette/use-opened.ts";
import { HandOver } from "../people/HandOver.tsx";
import { makeSecret } from "../secrets/make-secret.ts";
import { sha256 } from "../secrets/sha256.ts";
import { hrefOf, useRoute } from "../shell/route.ts";
import { KeyAccess } from "./KeyAccess.tsx";
import { KeyLimits } from "./KeyLimits.tsx";
import { KeyRights } from "./KeyRights.tsx";
import { KeyStatement } from "./KeyStatement.tsx";
import { KeysView } from "./KeysView.tsx";
import { NewKey } from "./NewKey.tsx";
import { PageOrigins } from "./PageOrigins.tsx";
import { RotateKey } from "./RotateKey.tsx";
import { hasOwnCertificate } from "./snippets.ts";

const none: readonly never[] = [];
const pageSize = 25;

export function KeysPage({ apiBase }: { readonly apiBase: string }): ReactNode {
  const session = useSession();
  const { id } = useRoute();
  const { results, status, loadMore } = usePaginatedQuery(
    api.console.keys.list,
    { session, ...(id === null ? {} : { keyId: id }) },
    { initialNumItems: pageSize },
  );
  const keys = status === "LoadingFirstPage" ? undefined : results;
  const models = useQuery(api.console.models.list, { session });
  const pages = useQuery(api.console.keys.pageOrigins, { session });
  const joined = useQuery(api.console.codes.joinAddress, { session });
  const create = useAct(api.console.keys.create);
  const revoke = useAct(api.console.keys.revoke);
  const limit = useAct(api.console.keys.setLimit);
  const entitle = useAct(api.console.keys.setRights);
  const lift = useAct(api.console.keys.liftRestriction);
  const setAccess = useAct(api.console.keys.setAccess);
  const rotate = useAct(api.console.keys.rotate);
  const endFormer = useAct(api.console.keys.endFormer);
  const setOrigins = useAct(api.console.keys.setOrigins);
  const setOwner = useAct(api.console.keys.setOwner);
  const createScope = useScope("keys.create");
  const mayCreate = createScope !== null;
  const mayChange = useScope("keys.change") !== null;
  const { actions: creditActions, dialogs } = useGrantActions("key");
  const onHolder = (act: keyof GrantActions) =>
    creditActions === null
      ? null
      : ({ keyId: id, name, balanceMicro: leftMicro, allowance }: KeyRow) =>
          creditActions[act]({ id, name, leftMicro, allowance });
  const seesMoney = useScope("money.read") !== null;
  const only = id === null ? undefined : results[0];
  const mayRevoke = useScope("keys.revoke") !== null;
  const mayHandOver = useScope("keys.hand-over") !== null;
  const [handed, setHanded] = useState<KeyRow | null>(null);
  const [isNew, setIsNew] = useOpened("new-key");
  const [limited, setLimited] = useState<KeyRow | null>(null);
  const [entitled, setEntitled] = useState<KeyRow | null>(null);
  const [accessed, setAccessed] = useState<KeyRow | null>(null);
  const [rotated, setRotated] = useState<KeyRow | null>(null);
  const commands = useMemo(
    () =>
      results.map((key) => ({
        id: `limits ${key.keyId}`,
        title: `Edit limits of ${key.name}`,
        run: () => setLimited(key),
      })),
    [results],
  );
  useCommands(useScope("keys.change") === null ? none : commands);
  const modelNames = (models ?? []).filter(({ retired }) => !retired).map(({ modelId }) => modelId);
  const [model = "gleaner-demo"] = modelNames;
  const server = { apiBase, ownCertificate: hasOwnCertificate(apiBase, joined?.pin ?? null) };
  return (
    <>
      <KeysView
        keys={keys}
        isOnly={id !== null}
        onMore={status === "CanLoadMore" ? () => loadMore(pageSize) : null}
        loadingMore={status === "LoadingMore"}
        onCreate={mayCreate ? () => setIsNew(true) : null}
        onLimit={mayChange ? setLimited : null}
        onCredits={onHolder("changeCredits")}
        onAllowance={onHolder("setAllowance")}
        onEndAllowance={onHolder("endAllowance")}
        onStatement={
          seesMoney && id === null ? ({ keyId }) => window.location.assign(hrefOf("keys", keyId)) : null
        }
        onEntitle={mayChange ? setEntitled : null}
        onAccess={mayChange ? setAccessed : null}
        onRotate={mayCreate ? setRotated : null}
        onEndFormer={
          mayRevoke
            ? ({ keyId, name }) => void endFormer({ keyId }, `The former secret of ${name} was ended.`)
            : null
        }
        onLift={
          mayChange
            ? ({ keyId, name }) => void lift({ keyId }, `The restriction of ${name} was lifted.`)
            : null
        }
        onHandOver={mayHandOver ? setHanded : null}
        pages={
          id !== null || pages === undefined ? null : (
            <PageOrigins
              {...pages}
              onSet={
                mayChange
                  ? (origins) =>
                      void setOrigins({ origins }, (before) => ({
                        words: "The pages that may call the API were saved.",
                        undo: () => void setOrigins({ origins: before }, "The former pages are back."),
                      }))
                  : null
              }
            />
          )
        }
        onRevoke={
          mayRevoke ? ({ keyId, name }) => void revoke({ keyId }, `The key for ${name} was revoked.`) : null
        }
      />
      {only === undefined || !seesMoney ? null : (
        <div className="mt-4">
          <KeyStatement keyId={only.keyId} />
        </div>
      )}
      {isNew ? (
        <NewKey
          server={server}
          model={model}
          models={modelNames}
          needsCredits={createScope === "own"}
          onCreate={async ({ name, dataClass, access, concurrency }) => {
            const secret = makeSecret("sk-gleaner-");
            const created = await create({
              name,
              keyHash: sha256(secret),
              prefix: shownPrefix(secret),
              access,
              ...(concurrency === null ? {} : { concurrency }),
              ...(dataClass === "" ? {} : { dataClass }),
            });
            return created ? secret : null;
          }}
          onClose={() => setIsNew(false)}
        />
      ) : null}
      {handed === null ? null : (
        <HandOver
          name={handed.name}
          owner={handed.owner}
          onSave={(owner) =>
            setOwner({ keyId: handed.keyId, owner }, `The key for ${handed.name} was handed over.`)
          }
          onClose={() => setHanded(null)}
        />
      )}
      {limited === null ? null : (
        <KeyLimits
          limited={limited}
          onSave={(limits) =>
            void limit({ keyId: limited.keyId, ...limits }, () => ({
              words: `The limits of ${limited.name} were saved.`,
              undo: () => {
                const { keyId, concurrency, weight } = limited;
                void limit({ keyId, concurrency, weight }, "The former limits are back.");
              },
            }))
          }
          onClose={() => setLimited(null)}
        />
      )}
      {dialogs}
      {entitled === null ? null : (
        <KeyRights
          limited={entitled}
          onSave={(rights) =>
            void entitle({ keyId: entitled.keyId, ...rights }, () => ({
              words: `The rights of ${entitled.name} were saved.`,
              undo: () => {
                const { keyId, highestPriority, requirements, mayRequire, highestDataClass } = entitled;
                const classBefore = highestDataClass ?? "";
                const before = { highestPriority, requirements, mayRequire, highestDataClass: classBefore };
                void entitle({ keyId, ...before }, "The former rights are back.");
              },
            }))
          }
          onClose={() => setEntitled(null)}
        />
      )}
      {accessed === null ? null : (
        <KeyAccess
          limited={accessed}
          models={modelNames}
          onSave={(access) =>
            setAccess({ keyId: accessed.keyId, ...access }, () => ({
              words: `The access of ${accessed.name} was saved.`,
              undo: () => {
                const { keyId, scopes, models: only, addresses, expiresAt, quotas } = accessed;
                const before = { scopes, models: only, addresses, quotas };
                const end = access.expiresAt === undefined ? {} : { expiresAt };
                void setAccess({ keyId, ...before, ...end }, "The former access is back.");
              },
            }))
          }
          onClose={() => setAccessed(null)}
        />
      )}
      {rotated === null ? null : (
        <RotateKey
          rotated={rotated}
          server={server}
          model={rotated.models?.[0] ?? model}
          onRotate={async (overlapMs) => {
            const secret = makeSecret("sk-gleaner-");
            const made = { keyHash: sha256(secret), prefix: shownPrefix(secret), overlapMs };
            return (await rotate({ keyId: rotated.keyId, ...made })) ? secret : null;
          }}
          onClose={() => setRotated(null)}
        />
      )}
    </>
  );
}
