import { expect, type Page } from "@playwright/test";

/** No page has more controls than this. */
const mostStops = 300;

/** Why the focus is out of sight. "" if it is in sight, and "end" if it left the page. */
async function problemOfFocus(page: Page): Promise<string> {
  return await page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement) || element === document.body) return "end";
    // A panel may be higher than the window. Then its visible part has to be seen.
    const { top, right, bottom, left } = element.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const middle = (from: number, to: number, most: number): number =>
      (Math.max(0, from) + Math.min(to, most)) / 2;
    const above = document.elementFromPoint(
      middle(left, right, clientWidth),
      middle(top, bottom, clientHeight),
    );
    const isSeen = above !== null && (element.contains(above) || above.contains(element));
    const { outlineStyle, boxShadow } = getComputedStyle(element);
    // The browser itself marks the button inside a field for a date.
    const hasMark =
      outlineStyle !== "none" ||
      boxShadow !== "none" ||
      element.matches("[type=date], [type=datetime-local]");
    const name = element.ariaLabel ?? element.innerText;
    return isSeen && hasMark ? "" : `${name} is ${hasMark ? "covered" : "not marked"}`;
  });
}

/** Presses Tab through the whole page. Fails at a control that is out of sight or looks as if it had no focus. */
export async function walk(page: Page, address: string): Promise<void> {
  for (let stop = 0; stop < mostStops; stop++) {
    await page.keyboard.press("Tab");
    // The tooltip of the last control may cover this one until it is gone.
    await expect
      .poll(() => problemOfFocus(page), { message: `${address}, stop ${String(stop)}` })
      .toMatch(/^(end)?$/);
    if ((await problemOfFocus(page)) === "end") {
      if (stop === 0) throw new Error(`${address} has nothing that the keyboard reaches.`);
      return;
    }
  }
  throw new Error(`${address} has more than ${String(mostStops)} stops.`);
}
