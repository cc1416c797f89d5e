import type { ReactNode } from "react";
import { plural } from "../../../app/format/quantity.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import type { ModelOffer } from "../data/rows.ts";
import { hrefOf } from "../shell/route.ts";

type Props = { readonly offer: ModelOffer; readonly onDismiss: () => void };

/** Offers one model to an organization that has only the demo model. */
export function ShelfOffer({ offer, onDismiss }: Props): ReactNode {
  const { name, link, downloadGb, memoryGb } = offer;
  return (
    <Card title="Add a first model">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <p className="min-w-0 basis-80 grow wrap-anywhere">
          <strong className="font-medium">{name}</strong> works well on office computers. Each device
          downloads about {downloadGb} GB and needs {memoryGb} GB of memory. {fitWords(offer)}
        </p>
        <div className="flex items-baseline gap-2">
          <a
            href={hrefOf("models", undefined, { open: "new-model", link })}
            className="font-medium text-accent hover:underline"
          >
            Add {name}
          </a>
          <Button size="sm" look="quiet" onClick={onDismiss}>
            Dismiss
          </Button>
        </div>
      </div>
    </Card>
  );
}

function fitWords({ devices, fitting }: ModelOffer): string {
  if (devices === 0) return "There are no devices yet.";
  if (fitting === null) return "The next step tells how many of your devices could run it.";
  if (devices === 1)
    return fitting === 1 ? "Your device could run it." : "Your device has too little memory for it.";
  return `${String(fitting)} of your ${plural(devices, ["# device", "# devices"])} could run it.`;
}
