import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { useFromNow } from "../../ui/clock.ts";
import { Button } from "../../ui/controls/Button.tsx";
import type { ModelRow } from "../data/rows.ts";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { PriceHistory } from "./PriceHistory.tsx";
import { SetPrice } from "./SetPrice.tsx";

/** The buttons that open the history of prices, and set a price for now or for later. */
export function PriceList({ models }: { readonly models: readonly ModelRow[] }): ReactNode {
  const [open, setOpen] = useState<"history" | "set" | null>(null);
  const mayChange = useScope("money.change") !== null;
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button size="sm" onClick={() => setOpen("history")}>
        Price history
      </Button>
      {mayChange ? (
        <Button size="sm" onClick={() => setOpen("set")}>
          Set a price
        </Button>
      ) : null}
      {open === "history" ? <History mayChange={mayChange} onClose={() => setOpen(null)} /> : null}
      {open === "set" ? <Set models={models} onClose={() => setOpen(null)} /> : null}
    </div>
  );
}

function History({
  mayChange,
  onClose,
}: {
  readonly mayChange: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const session = useSession();
  const versions = useQuery(api.console.money.prices.history, { session });
  const cancel = useAct(api.console.money.prices.cancel);
  const ofModel = useAct(api.console.money.prices.ofModel);
  const ofAll = useAct(api.console.money.prices.ofAll);
  const now = useFromNow((at) => at - (at % 60_000));
  return (
    <PriceHistory
      versions={versions}
      now={now}
      onCancel={
        mayChange
          ? ({ version, modelId, price, factors, from, why }) =>
              void cancel({ version }, () => ({
                words: `Version ${String(version)} was canceled.`,
                undo: () => {
                  if (modelId !== null && price !== null)
                    void ofModel({ modelId, price, from, why }, "The price is scheduled again.");
                  else if (factors !== null)
                    void ofAll({ factors, from, why }, "The percents are scheduled again.");
                },
              }))
          : null
      }
      onClose={onClose}
    />
  );
}

function Set({
  models,
  onClose,
}: {
  readonly models: readonly ModelRow[];
  readonly onClose: () => void;
}): ReactNode {
  const session = useSession();
  // A price that was set within this minute counts, too.
  const at = useFromNow((now) => Math.ceil(now / 60_000) * 60_000);
  const factors = useQuery(api.console.money.prices.factors, { session, at });
  const classes = useQuery(api.console.data.classes.list, { session });
  const cancel = useAct(api.console.money.prices.cancel);
  const ofModel = useAct(api.console.money.prices.ofModel);
  const ofAll = useAct(api.console.money.prices.ofAll);
  if (factors === undefined || classes === undefined) return null;
  return (
    <SetPrice
      models={models}
      factors={factors}
      dataClasses={classes.map(({ name }) => name)}
      now={at}
      onSave={async ({ of, from, why }) => {
        // A price that has begun is undone by the one before. A price that has not begun is canceled.
        const undoLater = (version: number): void => void cancel({ version }, "The price was canceled.");
        if ("factors" in of) {
          return await ofAll({ factors: of.factors, from, why }, (version) => ({
            words: "The percents were saved.",
            undo: () =>
              from === null
                ? void ofAll({ factors, from: null, why: null }, "The former percents are back.")
                : undoLater(version),
          }));
        }
        const { modelId, price } = of;
        const before = models.find((model) => model.modelId === modelId)?.price ?? price;
        return await ofModel({ modelId, price, from, why }, (version) => ({
          words: `The price of ${modelId} was saved.`,
          undo: () =>
            from === null
              ? void ofModel({ modelId, price: before, from: null, why: null }, "The former price is back.")
              : undoLater(version),
        }));
      }}
      onClose={onClose}
    />
  );
}
