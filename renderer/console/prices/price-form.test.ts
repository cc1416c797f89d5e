import { expect, it } from "vitest";
import { parsePriceForm, type TypedPrice } from "./price-form.ts";

const typed: TypedPrice = {
  subject: "",
  prompt: "20",
  completion: "0.5",
  low: "50",
  normal: "100",
  high: "200",
  text: "100",
  embedding: "40",
  classes: {},
  from: "",
  to: "",
  hourPercent: "80",
  begin: "",
  why: " ",
};

it("reads the price of a model, from now on", () => {
  expect(parsePriceForm({ ...typed, subject: "demo", why: " Cheaper power " }, 0)).toEqual({
    kind: "ok",
    of: { modelId: "demo", price: { promptMicro: 20_000n, completionMicro: 500n } },
    from: null,
    why: "Cheaper power",
  });
});

it("reads percents, hours and a later time", () => {
  const at = new Date("2026-07-01T08:00").getTime();
  const hours = { ...typed, from: "22", to: "6", begin: "2026-07-01T08:00" };
  expect(parsePriceForm(hours, at - 1)).toEqual({
    kind: "ok",
    of: {
      factors: {
        low: 50,
        normal: 100,
        high: 200,
        text: 100,
        embedding: 40,
        hours: { from: 22, to: 6, percent: 80 },
      },
    },
    from: at,
    why: null,
  });
  expect(parsePriceForm(hours, at)).toMatchObject({ kind: "wrong" });
});

it("reads the percents of data classes, without those that change nothing", () => {
  const parsed = parsePriceForm({ ...typed, classes: { internal: "100", restricted: " 150" } }, 0);
  expect(parsed).toMatchObject({ of: { factors: { classes: [{ name: "restricted", percent: 150 }] } } });
});

it.each([
  [{ subject: "demo", prompt: "x" }, "credits"],
  [{ low: "x" }, "percent"],
  [{ classes: { restricted: "" } }, "percent"],
  [{ low: "150" }, "higher priority"],
  [{ from: "5" }, "hour"],
])("refuses what is no price: %j", (change, why) => {
  const parsed = parsePriceForm({ ...typed, ...change }, 0);
  expect(parsed.kind === "wrong" ? parsed.why : "").toContain(why);
});
