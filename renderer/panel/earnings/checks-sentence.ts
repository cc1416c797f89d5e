import type { EarningsView } from "../../../app/contract/snapshot.ts";
import { plural } from "../../../app/format/quantity.ts";
import { formatCredits } from "../../../app/money/credits.ts";

/** How the checks of this computer's answers stand, if there is something to say. Null: nothing. */
export function checksSentence({ checks }: Pick<EarningsView, "checks">): string | null {
  if (checks === null || checks === undefined) return null;
  const { wrong, overclaimed = 0, heldMicro, unchecked = false } = checks;
  if (wrong > 0) {
    return plural(wrong, [
      "Other computers found that # answer of this computer was not of the model that it names. Ask your administrator.",
      "Other computers found that # answers of this computer were not of the model that it names. Ask your administrator.",
    ]);
  }
  if (overclaimed > 0) {
    return plural(overclaimed, [
      "Other computers counted far fewer tokens in # answer than this computer reported. Ask your administrator.",
      "Other computers counted far fewer tokens in # answers than this computer reported. Ask your administrator.",
    ]);
  }
  if (BigInt(heldMicro) === 0n) return null;
  const held = formatCredits(heldMicro);
  return unchecked
    ? `${held} more wait for checks of answers, and no other computer could check the last one of this computer. Your administrator can release them.`
    : `${held} more wait until other computers have checked answers of this one.`;
}
